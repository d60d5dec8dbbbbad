/* exp_avx512.h - exp of sixteen floats, shared by vector_avx512.c and scan_avx512.c.  Read exp_one
 * in vector.c first. */
#ifndef STRATA_EXP_AVX512_H
#define STRATA_EXP_AVX512_H

#include "avx512.h"
#include "../simd/exp_constants.h"

INLINE __m512 power_of_two(__m512i m) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_add_epi32(m, _mm512_set1_epi32(127)), 23));
}

INLINE __m512 multiply_add(__m512 p, __m512 r, float constant) { /* not fused: as in vector.c */
    return _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(constant));
}

INLINE __m512 exp_sixteen(__m512 v) {
    v = _mm512_min_ps(_mm512_set1_ps(EXP_HIGHEST), v); /* NaN, the second operand, passes */
    v = _mm512_max_ps(_mm512_set1_ps(EXP_LOWEST), v);
    __m512 round = _mm512_set1_ps(EXP_ROUND);
    __m512 whole = _mm512_sub_ps(multiply_add(v, _mm512_set1_ps(EXP_LOG2E), EXP_ROUND), round);
    __m512 r = _mm512_sub_ps(v, _mm512_mul_ps(whole, _mm512_set1_ps(EXP_LN2_HIGH)));
    r = _mm512_sub_ps(r, _mm512_mul_ps(whole, _mm512_set1_ps(EXP_LN2_LOW)));
    __m512 p = multiply_add(_mm512_set1_ps(EXP_C6), r, EXP_C5);
    p = multiply_add(p, r, EXP_C4);
    p = multiply_add(p, r, EXP_C3);
    p = multiply_add(p, r, EXP_C2);
    p = _mm512_add_ps(_mm512_mul_ps(p, _mm512_mul_ps(r, r)), r);
    p = _mm512_add_ps(p, _mm512_set1_ps(1));
    __m512i m = _mm512_cvtps_epi32(whole), half = _mm512_srai_epi32(m, 1);
    return _mm512_mul_ps(_mm512_mul_ps(p, power_of_two(half)),
                         power_of_two(_mm512_sub_epi32(m, half)));
}

#endif
