/* vector_avx2.c - weighted sum, sum, max and exp, eight lanes at a time.  Read vector.c first.
 *
 * The loops over whole registers are followed by the scalar version for the last n % 8
 * elements, which returns the same bits. */
#include "vector.h"

#if defined(__x86_64__)
#include "exp_avx2.h"
#include "unroll.h"

#include <math.h>

/* R registers of sums, which all rows pass by. */
#define COLUMNS(R)                                                                     \
    for (; i + 8 * R <= n; i += 8 * R) {                                               \
        __m256 sum[R];                                                                 \
        UNROLL for (size_t r = 0; r < R; r++) sum[r] = _mm256_loadu_ps(y + i + 8 * r); \
        for (size_t j = 0; j < rows; j++) {                                            \
            __m256 factor = _mm256_set1_ps(a[j]);                                      \
            const float *row = x + j * step + i;                                       \
            UNROLL for (size_t r = 0; r < R; r++) sum[r] =                             \
                _mm256_fmadd_ps(factor, _mm256_loadu_ps(row + 8 * r), sum[r]);         \
        }                                                                              \
        UNROLL for (size_t r = 0; r < R; r++) _mm256_storeu_ps(y + i + 8 * r, sum[r]); \
    }

AVX2 void weighted_sum_avx2(float *y, const float *a, const float *x, size_t step, size_t rows,
                            size_t n) {
    size_t i = 0;
    COLUMNS(8)
    COLUMNS(1)
    weighted_sum_scalar(y + i, a, x + i, step, rows, n - i);
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

AVX2 void vector_exp_avx2(float *out, const float *x, float shift, size_t n) {
    __m256 minus = _mm256_set1_ps(shift);
    size_t i = 0;
#define EIGHTS(count)                                                                      \
    for (; i + 8 * count <= n; i += 8 * count) {                                           \
        __m256 v[count];                                                                   \
        UNROLL for (size_t r = 0; r < count; r++) v[r] =                                   \
            _mm256_sub_ps(_mm256_loadu_ps(x + i + 8 * r), minus);                          \
        exp_eights(v, count);                                                              \
        UNROLL for (size_t r = 0; r < count; r++) _mm256_storeu_ps(out + i + 8 * r, v[r]); \
    }
    EIGHTS(4)
    EIGHTS(1)
    vector_exp_scalar(out + i, x + i, shift, n - i);
}
#endif
