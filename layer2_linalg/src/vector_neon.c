/* vector_neon.c - axpy, sum, max and exp, four lanes at a time (AArch64).  Read vector.c
 * first. */
#include "vector.h"

#if defined(__aarch64__)
#include "exp_neon.h"

#include <math.h>

void axpy_neon(float *y, float a, const float *x, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        vst1q_f32(y + i, vfmaq_n_f32(vld1q_f32(y + i), vld1q_f32(x + i), a));
    axpy_scalar(y + i, a, x + i, n - i);
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
