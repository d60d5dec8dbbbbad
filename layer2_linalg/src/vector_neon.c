/* vector_neon.c - axpy, sum, max and exp, four lanes at a time (AArch64).  Read vector.c
 * first. */
#include "vector.h"
#include "exp_constants.h"

#if defined(__aarch64__)
#include <arm_neon.h>
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

static float32x4_t power_of_two(int32x4_t m) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(m, vdupq_n_s32(127)), 23));
}

static float32x4_t multiply_add(float32x4_t p, float32x4_t r, float constant) { /* not fused */
    return vaddq_f32(vmulq_f32(p, r), vdupq_n_f32(constant));
}

static float32x4_t exp_four(float32x4_t v) {
    v = vmaxq_f32(vminq_f32(v, vdupq_n_f32(EXP_HIGHEST)), vdupq_n_f32(EXP_LOWEST));
    float32x4_t whole =
        vsubq_f32(multiply_add(v, vdupq_n_f32(EXP_LOG2E), EXP_ROUND), vdupq_n_f32(EXP_ROUND));
    float32x4_t r = vsubq_f32(v, vmulq_n_f32(whole, EXP_LN2_HIGH));
    r = vsubq_f32(r, vmulq_n_f32(whole, EXP_LN2_LOW));
    float32x4_t p = multiply_add(vdupq_n_f32(EXP_C6), r, EXP_C5);
    p = multiply_add(p, r, EXP_C4);
    p = multiply_add(p, r, EXP_C3);
    p = multiply_add(p, r, EXP_C2);
    p = vaddq_f32(vmulq_f32(p, vmulq_f32(r, r)), r);
    p = vaddq_f32(p, vdupq_n_f32(1));
    int32x4_t m = vcvtq_s32_f32(whole), half = vshrq_n_s32(m, 1);
    return vmulq_f32(vmulq_f32(p, power_of_two(half)), power_of_two(vsubq_s32(m, half)));
}

void vector_exp_neon(float *out, const float *x, float shift, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        vst1q_f32(out + i, exp_four(vsubq_f32(vld1q_f32(x + i), vdupq_n_f32(shift))));
    vector_exp_scalar(out + i, x + i, shift, n - i);
}
#endif
