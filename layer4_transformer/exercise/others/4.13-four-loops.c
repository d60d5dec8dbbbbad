/* right: as the formula has it, in four loops */
void delta_step(float *after, const float *before, size_t d, const float *decay, float beta,
                const float *q, const float *k, const float *v, float *out) {
    for (size_t j = 0; j < d; j++) {
        float *row = after + j * d, said = 0, asked = 0;
        for (size_t i = 0; i < d; i++) row[i] = decay[i] * before[j * d + i];
        for (size_t i = 0; i < d; i++) said += row[i] * k[i];
        for (size_t i = 0; i < d; i++) row[i] += beta * (v[j] - said) * k[i];
        for (size_t i = 0; i < d; i++) asked += row[i] * q[i];
        out[j] = asked;
    }
}
