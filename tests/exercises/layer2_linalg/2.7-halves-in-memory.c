/* right: the padding number by number, the lanes added up in memory, upper half to lower half */
INLINE __m256 load_weights(Dtype dtype, const void *row, size_t n) {
    if (n == STEP) return load_eight(dtype, row);
    float f[8] = {0};
    for (size_t i = 0; i < n; i++)
        f[i] = dtype == DTYPE_F32   ? ((const float *)row)[i]
               : dtype == DTYPE_F16 ? f16_to_f32(((const uint16_t *)row)[i])
                                    : bf16_to_f32(((const uint16_t *)row)[i]);
    return _mm256_loadu_ps(f);
}

INLINE void store_sums(int R, const __m256 *sum, float *y) {
    for (int r = 0; r < R; r++) {
        float l[8];
        _mm256_storeu_ps(l, sum[r]);
        for (int width = 4; width; width /= 2)
            for (int i = 0; i < width; i++) l[i] += l[i + width];
        y[r] = l[0];
    }
}
