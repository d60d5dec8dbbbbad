/* exp_avx2.h - the registers of exp_template.h, eight floats each; for vector_avx2.c,
 * scan_avx2.c. */
#ifndef STRATA_EXP_AVX2_H
#define STRATA_EXP_AVX2_H

#include "avx2.h"

enum { FLOATS = 8 };
typedef __m256 Floats;
typedef __m256i Ints;

INLINE __m256 load(const float *x) { return _mm256_loadu_ps(x); }
INLINE void store(float *x, __m256 v) { _mm256_storeu_ps(x, v); }
INLINE __m256 set(float x) { return _mm256_set1_ps(x); }
INLINE __m256 add(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
INLINE __m256 sub(__m256 a, __m256 b) { return _mm256_sub_ps(a, b); }
INLINE __m256 mul(__m256 a, __m256 b) { return _mm256_mul_ps(a, b); }

/* With a NaN, the instruction returns the second operand. */
INLINE __m256 at_most(__m256 v, float x) { return _mm256_min_ps(set(x), v); }
INLINE __m256 at_least(__m256 v, float x) { return _mm256_max_ps(set(x), v); }

INLINE __m256i to_ints(__m256 v) { return _mm256_cvtps_epi32(v); }
INLINE __m256i halve_ints(__m256i m) { return _mm256_srai_epi32(m, 1); }
INLINE __m256i sub_ints(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
INLINE __m256 power_of_two(__m256i m) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(m, _mm256_set1_epi32(127)), 23));
}

#include "../simd/exp_template.h"

#endif
