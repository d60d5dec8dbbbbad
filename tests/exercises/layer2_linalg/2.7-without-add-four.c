/* right: each register's lanes by add_lanes, one after the other; BF16 put between zeros */
INLINE __m256 load_eight(Dtype dtype, const void *row) {
    if (dtype == DTYPE_F32) return _mm256_loadu_ps((const float *)row);
    __m128i half = _mm_loadu_si128((const __m128i *)row), zero = _mm_setzero_si128();
    if (dtype == DTYPE_F16) return _mm256_cvtph_ps(half);
    __m128i low = _mm_unpacklo_epi16(zero, half), high = _mm_unpackhi_epi16(zero, half);
    return _mm256_castsi256_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
}

INLINE __m128 add_four(__m256 a, __m256 b, __m256 c, __m256 d) {
    return _mm_setr_ps(add_lanes(a), add_lanes(b), add_lanes(c), add_lanes(d));
}

INLINE void store_sums(int R, const __m256 *sum, float *y) {
    for (int r = 0; r < R; r++) y[r] = add_lanes(sum[r]);
}
