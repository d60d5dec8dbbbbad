/* right: the formula in one loop, sums in double */
void rwkv_step(float *after, const float *before, size_t d, const float *w, const float *kk,
               const float *a, const float *r, const float *k, const float *v, float *out) {
    for (size_t i = 0; i < d; i++) {
        const float *old = before + i * d;
        double said = 0, asked = 0;
        for (size_t j = 0; j < d; j++) said += (double)old[j] * (double)kk[j];
        for (size_t j = 0; j < d; j++) {
            double s =
                (double)(old[j] * w[j]) - said * (double)(kk[j] * a[j]) + (double)(v[i] * k[j]);
            after[i * d + j] = (float)s;
            asked += s * (double)r[j];
        }
        out[i] = (float)asked;
    }
}
