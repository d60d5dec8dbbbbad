/* vector_avx2.c - axpy, sum, max and exp, eight lanes at a time.  Read vector.c first.
 *
 * The loops over whole registers are followed by the scalar version for the last n % 8
 * elements, which returns the same bits. */
#include "vector.h"
#include "exp_constants.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 void axpy_avx2(float *y, float a, const float *x, size_t n) {
    __m256 factor = _mm256_set1_ps(a);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(
            y + i, _mm256_fmadd_ps(factor, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
    axpy_scalar(y + i, a, x + i, n - i);
}

/* Four registers of sums: an addition takes four cycles, so four chains keep the adder busy. */
AVX2 float vector_sum_avx2(const float *x, size_t n) {
    __m256 sum[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                     _mm256_setzero_ps()};
    size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (size_t j = 0; j < 4; j++)
            sum[j] = _mm256_add_ps(sum[j], _mm256_loadu_ps(x + i + 8 * j));
    float lanes[8];
    _mm256_storeu_ps(
        lanes, _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])));
    float head = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                 ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    return head + vector_sum_scalar(x + i, n - i);
}

/* MAXPS returns its second operand when either is NaN, so NaNs are collected on the side. */
AVX2 float vector_max_avx2(const float *x, size_t n) {
    __m256 max = _mm256_set1_ps(-INFINITY), odd = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 v = _mm256_loadu_ps(x + i);
        max = _mm256_max_ps(v, max);
        odd = _mm256_or_ps(odd, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    }
    if (_mm256_movemask_ps(odd)) return NAN;
    float lanes[8], tail = vector_max_scalar(x + i, n - i);
    _mm256_storeu_ps(lanes, max);
    float head = vector_max_scalar(lanes, 8);
    return head > tail ? head : tail;
}

AVX2 static __m256 power_of_two(__m256i m) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(m, _mm256_set1_epi32(127)), 23));
}

AVX2 static __m256 multiply_add(__m256 p, __m256 r,
                                float constant) { /* not fused: as in vector.c */
    return _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(constant));
}

AVX2 static __m256 exp_eight(__m256 v) {
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

AVX2 void vector_exp_avx2(float *out, const float *x, float shift, size_t n) {
    __m256 minus = _mm256_set1_ps(shift);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, exp_eight(_mm256_sub_ps(_mm256_loadu_ps(x + i), minus)));
    vector_exp_scalar(out + i, x + i, shift, n - i);
}
#endif
