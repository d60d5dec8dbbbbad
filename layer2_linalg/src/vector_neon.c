/* vector_neon.c - weighted sum, sum, max and exp, four lanes at a time (AArch64).  Read vector.c
 * first. */
#include "vector.h"

#if defined(__aarch64__)
#include "exp_neon.h"
#include "unroll.h"

#include <math.h>

/* R registers of sums, which all rows pass by. */
#define COLUMNS(R)                                                               \
    for (; i + 4 * R <= n; i += 4 * R) {                                         \
        float32x4_t sum[R];                                                      \
        UNROLL for (size_t r = 0; r < R; r++) sum[r] = vld1q_f32(y + i + 4 * r); \
        for (size_t j = 0; j < rows; j++) {                                      \
            float32x4_t factor = vdupq_n_f32(a[j]);                              \
            const float *row = x + j * step + i;                                 \
            UNROLL for (size_t r = 0; r < R; r++) sum[r] =                       \
                vfmaq_f32(sum[r], vld1q_f32(row + 4 * r), factor);               \
        }                                                                        \
        UNROLL for (size_t r = 0; r < R; r++) vst1q_f32(y + i + 4 * r, sum[r]);  \
    }

void weighted_sum_neon(float *y, const float *a, const float *x, size_t step, size_t rows,
                       size_t n) {
    size_t i = 0;
    COLUMNS(16)
    COLUMNS(1)
    weighted_sum_scalar(y + i, a, x + i, step, rows, n - i);
}

float vector_sum_neon(const float *x, size_t n) {
    float32x4_t sum[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 4; j++) sum[j] = vaddq_f32(sum[j], vld1q_f32(x + i + 4 * j));
    float lanes[4];
    vst1q_f32(lanes, vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
    return ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) + vector_sum_scalar(x + i, n - i);
}

/* FMAX returns NaN when either operand is one. */
float vector_max_neon(const float *x, size_t n) {
    float32x4_t max = vdupq_n_f32(-INFINITY);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) max = vmaxq_f32(max, vld1q_f32(x + i));
    float pair[2] = {vmaxvq_f32(max), vector_max_scalar(x + i, n - i)};
    return vector_max_scalar(pair, 2);
}

void vector_exp_neon(float *out, const float *x, float shift, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        vst1q_f32(out + i, exp_four(vsubq_f32(vld1q_f32(x + i), vdupq_n_f32(shift))));
    vector_exp_scalar(out + i, x + i, shift, n - i);
}
#endif
