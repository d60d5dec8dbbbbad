/* right: what is asked is put together from what was there and what comes in */
void delta_step(float *after, const float *before, size_t d, const float *decay, float beta,
                const float *q, const float *k, const float *v, float *out) {
    float meets = dot_f32(k, q, d);
    for (size_t j = 0; j < d; j++) {
        double said = 0, asked = 0;
        for (size_t i = 0; i < d; i++) {
            float stays = decay[i] * before[j * d + i];
            said += (double)(stays * k[i]), asked += (double)(stays * q[i]);
            after[j * d + i] = stays;
        }
        float missing = beta * (v[j] - (float)said);
        axpy(after + j * d, missing, k, d);
        out[j] = (float)asked + missing * meets;
    }
}
