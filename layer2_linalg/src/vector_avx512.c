/* vector_avx512.c - weighted sum, sum, max and exp, sixteen lanes at a time.  Read vector.c first.
 *
 * The loops over whole registers are followed by the scalar version for the last n % 16
 * elements, which returns the same bits. */
#include "vector.h"

#if defined(__x86_64__)
#include "exp_avx512.h"
#include "unroll.h"

#include <math.h>

/* R registers of sums, which all rows pass by. */
#define COLUMNS(R)                                                                      \
    for (; i + 16 * R <= n; i += 16 * R) {                                              \
        __m512 sum[R];                                                                  \
        UNROLL for (size_t r = 0; r < R; r++) sum[r] = _mm512_loadu_ps(y + i + 16 * r); \
        for (size_t j = 0; j < rows; j++) {                                             \
            __m512 factor = _mm512_set1_ps(a[j]);                                       \
            const float *row = x + j * step + i;                                        \
            UNROLL for (size_t r = 0; r < R; r++) sum[r] =                              \
                _mm512_fmadd_ps(factor, _mm512_loadu_ps(row + 16 * r), sum[r]);         \
        }                                                                               \
        UNROLL for (size_t r = 0; r < R; r++) _mm512_storeu_ps(y + i + 16 * r, sum[r]); \
    }

AVX512 void weighted_sum_avx512(float *y, const float *a, const float *x, size_t step,
                                size_t rows, size_t n) {
    size_t i = 0;
    COLUMNS(8)
    COLUMNS(1)
    weighted_sum_scalar(y + i, a, x + i, step, rows, n - i);
}

/* Four registers of sums: an addition takes four cycles, so four chains keep the adder busy. */
AVX512 float vector_sum_avx512(const float *x, size_t n) {
    __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                     _mm512_setzero_ps()};
    size_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (size_t j = 0; j < 4; j++)
            sum[j] = _mm512_add_ps(sum[j], _mm512_loadu_ps(x + i + 16 * j));
    float lanes[16];
    _mm512_storeu_ps(
        lanes, _mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
    for (int width = 8; width; width /= 2)
        for (int lane = 0; lane < width; lane++) lanes[lane] += lanes[lane + width];
    return lanes[0] + vector_sum_scalar(x + i, n - i);
}

/* MAXPS returns its second operand when either is NaN, so NaNs are collected on the side. */
AVX512 float vector_max_avx512(const float *x, size_t n) {
    __m512 max = _mm512_set1_ps(-INFINITY);
    __mmask16 odd = 0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512 v = _mm512_loadu_ps(x + i);
        max = _mm512_max_ps(v, max);
        odd |= _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    }
    if (odd) return NAN;
    float lanes[16], tail = vector_max_scalar(x + i, n - i);
    _mm512_storeu_ps(lanes, max);
    float head = vector_max_scalar(lanes, 16);
    return head > tail ? head : tail;
}

AVX512 void vector_exp_avx512(float *out, const float *x, float shift, size_t n) {
    __m512 minus = _mm512_set1_ps(shift);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i, exp_sixteen(_mm512_sub_ps(_mm512_loadu_ps(x + i), minus)));
    vector_exp_scalar(out + i, x + i, shift, n - i);
}
#endif
