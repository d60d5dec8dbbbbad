/* avx2.h - shared by the AVX2 siblings. */
#ifndef STRATA_AVX2_H
#define STRATA_AVX2_H

#include "../simd/hints.h"

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,fma,f16c")))
#define INLINE INLINE_OF(AVX2)

/* ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7)) */
INLINE float add_lanes(__m256 v) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}

INLINE float largest_lane(__m256 v) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(pair, _mm_movehdup_ps(pair)));
}

/* The largest of the magnitudes: their bits are ordered as they are, infinity and NaN last. */
INLINE float largest_magnitude(__m256i bits) {
    __m128i half =
        _mm_max_epu32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    half = _mm_max_epu32(half, _mm_shuffle_epi32(half, 0x4E));
    half = _mm_max_epu32(half, _mm_shuffle_epi32(half, 0xB1));
    return _mm_cvtss_f32(_mm_castsi128_ps(half));
}

#endif
