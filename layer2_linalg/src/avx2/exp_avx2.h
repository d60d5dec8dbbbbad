/* exp_avx2.h - exp of eight floats, shared by vector_avx2.c and scan_avx2.c.  Read exp_one in
 * vector.c first. */
#ifndef STRATA_EXP_AVX2_H
#define STRATA_EXP_AVX2_H

#include "avx2.h"
#include "../simd/exp_constants.h"
#include "../simd/unroll.h"

INLINE __m256 power_of_two(__m256i m) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(m, _mm256_set1_epi32(127)), 23));
}

INLINE __m256 multiply_add(__m256 p, __m256 r, float constant) { /* not fused: as in vector.c */
    return _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(constant));
}

#define EACH UNROLL for (int i = 0; i < count; i++)

/* exp(v[i]) = p[i] * 2^m[i], `count` registers in step: each operation waits some cycles for the
 * one before it, and the other registers fill that time. */
INLINE void exp_parts(const __m256 *v, __m256 *p, __m256i *m, int count) {
    __m256 whole[4], r[4];
    EACH whole[i] = multiply_add(v[i], _mm256_set1_ps(EXP_LOG2E), EXP_ROUND);
    EACH whole[i] = _mm256_sub_ps(whole[i], _mm256_set1_ps(EXP_ROUND));
    EACH r[i] = _mm256_sub_ps(v[i], _mm256_mul_ps(whole[i], _mm256_set1_ps(EXP_LN2_HIGH)));
    EACH r[i] = _mm256_sub_ps(r[i], _mm256_mul_ps(whole[i], _mm256_set1_ps(EXP_LN2_LOW)));
    EACH m[i] = _mm256_cvtps_epi32(whole[i]);
    EACH p[i] = multiply_add(_mm256_set1_ps(EXP_C6), r[i], EXP_C5);
    EACH p[i] = multiply_add(p[i], r[i], EXP_C4);
    EACH p[i] = multiply_add(p[i], r[i], EXP_C3);
    EACH p[i] = multiply_add(p[i], r[i], EXP_C2);
    EACH p[i] = _mm256_add_ps(_mm256_mul_ps(p[i], _mm256_mul_ps(r[i], r[i])), r[i]);
    EACH p[i] = _mm256_add_ps(p[i], _mm256_set1_ps(1));
}

/* v[i] becomes exp(v[i]). */
INLINE void exp_eights(__m256 *v, int count) {
    __m256 p[4];
    __m256i m[4], half[4];
    EACH v[i] = _mm256_min_ps(_mm256_set1_ps(EXP_HIGHEST), v[i]); /* NaN, the second, passes */
    EACH v[i] = _mm256_max_ps(_mm256_set1_ps(EXP_LOWEST), v[i]);
    exp_parts(v, p, m, count);
    EACH half[i] = _mm256_srai_epi32(m[i], 1);
    EACH p[i] = _mm256_mul_ps(p[i], power_of_two(half[i]));
    EACH v[i] = _mm256_mul_ps(p[i], power_of_two(_mm256_sub_epi32(m[i], half[i])));
}

/* The same for v[i] from -87 to 88, where 2^m and all that comes from it are normal numbers: the
 * same bits. */
INLINE void exp_eights_near(__m256 *v, int count) {
    __m256 p[4];
    __m256i m[4];
    exp_parts(v, p, m, count);
    EACH v[i] = _mm256_mul_ps(p[i], power_of_two(m[i]));
}

#undef EACH

#endif
