/* exp_neon.h - exp of four floats, shared by vector_neon.c and scan_neon.c.  Read exp_one in
 * vector.c first. */
#ifndef STRATA_EXP_NEON_H
#define STRATA_EXP_NEON_H

#include "../simd/exp_constants.h"

#include <arm_neon.h>

static inline float32x4_t power_of_two(int32x4_t m) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(m, vdupq_n_s32(127)), 23));
}

static inline float32x4_t multiply_add(float32x4_t p, float32x4_t r,
                                       float constant) { /* not fused */
    return vaddq_f32(vmulq_f32(p, r), vdupq_n_f32(constant));
}

static inline float32x4_t exp_four(float32x4_t v) {
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

#endif
