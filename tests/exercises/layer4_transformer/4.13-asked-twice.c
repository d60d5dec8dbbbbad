/* right: what is asked is put together from what was there and what comes in */
void delta_step(float *after, const float *before, size_t d, size_t rows, const float *decay,
                float beta, const float *q, const float *k, const float *v, float *out) {
    float meets = dot_f32(k, q, d);
    for (size_t j = 0; j < rows; j++) {
        size_t at = j / STRIP * STRIP * d + j % STRIP;
        double said = 0, asked = 0;
        for (size_t i = 0; i < d; i++) {
            float stays = decay[i] * before[at + STRIP * i];
            said += (double)(stays * k[i]), asked += (double)(stays * q[i]);
            after[at + STRIP * i] = stays;
        }
        float missing = beta * (v[j] - (float)said);
        for (size_t i = 0; i < d; i++) after[at + STRIP * i] += missing * k[i];
        out[j] = (float)asked + missing * meets;
    }
}
