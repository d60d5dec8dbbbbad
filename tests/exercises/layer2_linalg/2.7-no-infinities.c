/* wrong: times 1 is | F16 is widened by a shift and a factor, which makes 65536 of infinity */
INLINE __m256 load_eight(Dtype dtype, const void *row) {
    if (dtype == DTYPE_F32) return _mm256_loadu_ps(row);
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(row));
    if (dtype == DTYPE_BF16) return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
    __m256i size = _mm256_slli_epi32(_mm256_and_si256(wide, _mm256_set1_epi32(0x7FFF)), 13),
            sign = _mm256_slli_epi32(_mm256_and_si256(wide, _mm256_set1_epi32(0x8000)), 16);
    return _mm256_mul_ps(_mm256_castsi256_ps(_mm256_or_si256(size, sign)),
                         _mm256_set1_ps(0x1p112F));
}
