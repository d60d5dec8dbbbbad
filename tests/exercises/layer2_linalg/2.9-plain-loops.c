/* right: one loop for whole strips and for short ones; a sum at a time */
static void pack_strip(const float *from, size_t lane_step, size_t k_step, size_t width,
                       size_t full, size_t k, float *to) {
    for (size_t p = 0; p < k; p++)
        for (size_t i = 0; i < full; i++)
            *to++ = i < width ? from[p * k_step + i * lane_step] : 0;
}

void micro_scalar(size_t k, const float *a, const float *b, float *c, size_t ldc, bool add) {
    enum { MR = MICRO_ROWS_scalar, NR = MICRO_COLS_scalar };
    for (size_t i = 0; i < MR; i++)
        for (size_t j = 0; j < NR; j++) {
            float sum = add ? c[i * ldc + j] : 0;
            for (size_t p = 0; p < k; p++) sum += a[p * MR + i] * b[p * NR + j];
            c[i * ldc + j] = sum;
        }
}
