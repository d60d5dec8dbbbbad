/* exp_avx512.h - exp of sixteen floats, shared by vector_avx512.c and scan_avx512.c.  Read exp_avx2.h first. */
#ifndef STRATA_EXP_AVX512_H
#define STRATA_EXP_AVX512_H

#include "avx512.h"
#include "../simd/exp_constants.h"
#include "../simd/unroll.h"

INLINE __m512 power_of_two(__m512i m) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_add_epi32(m, _mm512_set1_epi32(127)), 23));
}

INLINE __m512 multiply_add(__m512 p, __m512 r, float constant) { /* not fused: as in vector.c */
    return _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(constant));
}

#define EACH UNROLL for (int i = 0; i < count; i++)

/* exp(v[i]) = p[i] * 2^m[i], `count` registers in step. */
INLINE void exp_parts(const __m512 *v, __m512 *p, __m512i *m, int count) {
    __m512 whole[4], r[4];
    EACH whole[i] = multiply_add(v[i], _mm512_set1_ps(EXP_LOG2E), EXP_ROUND);
    EACH whole[i] = _mm512_sub_ps(whole[i], _mm512_set1_ps(EXP_ROUND));
    EACH r[i] = _mm512_sub_ps(v[i], _mm512_mul_ps(whole[i], _mm512_set1_ps(EXP_LN2_HIGH)));
    EACH r[i] = _mm512_sub_ps(r[i], _mm512_mul_ps(whole[i], _mm512_set1_ps(EXP_LN2_LOW)));
    EACH m[i] = _mm512_cvtps_epi32(whole[i]);
    EACH p[i] = multiply_add(_mm512_set1_ps(EXP_C6), r[i], EXP_C5);
    EACH p[i] = multiply_add(p[i], r[i], EXP_C4);
    EACH p[i] = multiply_add(p[i], r[i], EXP_C3);
    EACH p[i] = multiply_add(p[i], r[i], EXP_C2);
    EACH p[i] = _mm512_add_ps(_mm512_mul_ps(p[i], _mm512_mul_ps(r[i], r[i])), r[i]);
    EACH p[i] = _mm512_add_ps(p[i], _mm512_set1_ps(1));
}

/* v[i] becomes exp(v[i]). */
INLINE void exp_sixteens(__m512 *v, int count) {
    __m512 p[4];
    __m512i m[4], half[4];
    EACH v[i] = _mm512_min_ps(_mm512_set1_ps(EXP_HIGHEST), v[i]); /* NaN, the second, passes */
    EACH v[i] = _mm512_max_ps(_mm512_set1_ps(EXP_LOWEST), v[i]);
    exp_parts(v, p, m, count);
    EACH half[i] = _mm512_srai_epi32(m[i], 1);
    EACH p[i] = _mm512_mul_ps(p[i], power_of_two(half[i]));
    EACH v[i] = _mm512_mul_ps(p[i], power_of_two(_mm512_sub_epi32(m[i], half[i])));
}

/* The same for v[i] from -87 to 88, where 2^m and all that comes from it are normal numbers: the
 * same bits. */
INLINE void exp_sixteens_near(__m512 *v, int count) {
    __m512 p[4];
    __m512i m[4];
    exp_parts(v, p, m, count);
    EACH v[i] = _mm512_mul_ps(p[i], power_of_two(m[i]));
}

#undef EACH

#endif
