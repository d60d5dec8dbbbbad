/* right: one change of the row after the other */
void rwkv_step(float *after, const float *before, size_t d, const float *w, const float *kk,
               const float *a, const float *r, const float *k, const float *v, float *out) {
    for (size_t i = 0; i < d; i++) {
        float row[RWKV_DIM], *to = after + i / STRIP * STRIP * d + i % STRIP;
        for (size_t j = 0; j < d; j++) row[j] = before[to - after + (long)(STRIP * j)];
        float back = dot_f32(row, kk, d);
        for (size_t j = 0; j < d; j++) row[j] *= w[j];
        for (size_t j = 0; j < d; j++) row[j] -= back * kk[j] * a[j];
        axpy(row, v[i], k, d);
        for (size_t j = 0; j < d; j++) to[STRIP * j] = row[j];
        out[i] = dot_f32(row, r, d);
    }
}
