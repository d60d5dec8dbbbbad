/* right: the formula in one loop, sums in double */
void rwkv_step(float *after, const float *before, size_t d, const float *w, const float *kk,
               const float *a, const float *r, const float *k, const float *v, float *out) {
    for (size_t i = 0; i < d; i++) {
        size_t at = i / STRIP * STRIP * d + i % STRIP;
        double said = 0, asked = 0;
        for (size_t j = 0; j < d; j++) said += (double)before[at + STRIP * j] * (double)kk[j];
        for (size_t j = 0; j < d; j++) {
            double s = (double)(before[at + STRIP * j] * w[j]) - said * (double)(kk[j] * a[j]) +
                       (double)(v[i] * k[j]);
            after[at + STRIP * j] = (float)s;
            asked += s * (double)r[j];
        }
        out[i] = (float)asked;
    }
}
