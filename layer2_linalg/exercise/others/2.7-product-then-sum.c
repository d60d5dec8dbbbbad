/* right: the padding number by number, the lanes added up in memory by a tree of one's own, the same for one row and for four */
INLINE __m256 load_weights(Dtype dtype, const void *row, size_t n) {
    if (n == STEP) return load_eight(dtype, row);
    float f[8] = {0};
    for (size_t i = 0; i < n; i++)
        f[i] = dtype == DTYPE_F32   ? ((const float *)row)[i]
               : dtype == DTYPE_F16 ? f16_to_f32(((const uint16_t *)row)[i])
                                    : bf16_to_f32(((const uint16_t *)row)[i]);
    return _mm256_loadu_ps(f);
}

INLINE __m256 multiply_add(__m256 w, __m256 x, __m256 sum) {
    return _mm256_add_ps(_mm256_mul_ps(w, x), sum);
}

INLINE void store_sums(int R, const __m256 *sum, float *y) {
    for (int r = 0; r < R; r++) {
        float l[8];
        _mm256_storeu_ps(l, sum[r]);
        y[r] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
    }
}
