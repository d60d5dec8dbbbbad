/* right: as the formula has it, in four loops */
void delta_step(float *after, const float *before, size_t d, size_t rows, const float *decay,
                float beta, const float *q, const float *k, const float *v, float *out) {
    float row[DELTA_DIM];
    for (size_t j = 0; j < rows; j++) {
        size_t at = j / STRIP * STRIP * d + j % STRIP;
        float said = 0, asked = 0;
        for (size_t i = 0; i < d; i++) row[i] = decay[i] * before[at + STRIP * i];
        for (size_t i = 0; i < d; i++) said += row[i] * k[i];
        for (size_t i = 0; i < d; i++) row[i] += beta * (v[j] - said) * k[i];
        for (size_t i = 0; i < d; i++) asked += row[i] * q[i];
        for (size_t i = 0; i < d; i++) after[at + STRIP * i] = row[i];
        out[j] = asked;
    }
}
