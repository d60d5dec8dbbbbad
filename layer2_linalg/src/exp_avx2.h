/* exp_avx2.h - exp of eight floats, shared by vector_avx2.c and scan_avx2.c.  Read exp_one in vector.c first. */
#ifndef STRATA_EXP_AVX2_H
#define STRATA_EXP_AVX2_H

#include "exp_constants.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static inline __m256 power_of_two(__m256i m) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(m, _mm256_set1_epi32(127)), 23));
}

AVX2 static inline __m256 multiply_add(__m256 p, __m256 r,
                                       float constant) { /* not fused: as in vector.c */
    return _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(constant));
}

AVX2 static inline __m256 exp_eight(__m256 v) {
    v = _mm256_min_ps(_mm256_set1_ps(EXP_HIGHEST), v); /* NaN, the second operand, passes */
    v = _mm256_max_ps(_mm256_set1_ps(EXP_LOWEST), v);
    __m256 round = _mm256_set1_ps(EXP_ROUND);
    __m256 whole = _mm256_sub_ps(multiply_add(v, _mm256_set1_ps(EXP_LOG2E), EXP_ROUND), round);
    __m256 r = _mm256_sub_ps(v, _mm256_mul_ps(whole, _mm256_set1_ps(EXP_LN2_HIGH)));
    r = _mm256_sub_ps(r, _mm256_mul_ps(whole, _mm256_set1_ps(EXP_LN2_LOW)));
    __m256 p = multiply_add(_mm256_set1_ps(EXP_C6), r, EXP_C5);
    p = multiply_add(p, r, EXP_C4);
    p = multiply_add(p, r, EXP_C3);
    p = multiply_add(p, r, EXP_C2);
    p = _mm256_add_ps(_mm256_mul_ps(p, _mm256_mul_ps(r, r)), r);
    p = _mm256_add_ps(p, _mm256_set1_ps(1));
    __m256i m = _mm256_cvtps_epi32(whole), half = _mm256_srai_epi32(m, 1);
    return _mm256_mul_ps(_mm256_mul_ps(p, power_of_two(half)),
                         power_of_two(_mm256_sub_epi32(m, half)));
}

#endif
