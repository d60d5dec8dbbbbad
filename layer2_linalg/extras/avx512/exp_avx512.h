/* exp_avx512.h - the registers of exp_template.h, sixteen floats each; for vector_avx512.c and
 * scan_avx512.c. */
#ifndef STRATA_EXP_AVX512_H
#define STRATA_EXP_AVX512_H

#include "avx512.h"

enum { FLOATS = 16 };
typedef __m512 Floats;
typedef __m512i Ints;

INLINE __m512 load(const float *x) { return _mm512_loadu_ps(x); }
INLINE void store(float *x, __m512 v) { _mm512_storeu_ps(x, v); }
INLINE __m512 set(float x) { return _mm512_set1_ps(x); }
INLINE __m512 add(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
INLINE __m512 sub(__m512 a, __m512 b) { return _mm512_sub_ps(a, b); }
INLINE __m512 mul(__m512 a, __m512 b) { return _mm512_mul_ps(a, b); }

/* With a NaN, the instruction returns the second operand. */
INLINE __m512 at_most(__m512 v, float x) { return _mm512_min_ps(set(x), v); }
INLINE __m512 at_least(__m512 v, float x) { return _mm512_max_ps(set(x), v); }

INLINE __m512i to_ints(__m512 v) { return _mm512_cvtps_epi32(v); }
INLINE __m512i halve_ints(__m512i m) { return _mm512_srai_epi32(m, 1); }
INLINE __m512i sub_ints(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
INLINE __m512 power_of_two(__m512i m) {
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_add_epi32(m, _mm512_set1_epi32(127)), 23));
}

#include "simd/exp_template.h"

#endif
