/* half_neon.c - f16 by instruction on AArch64 (FCVT).  Read half.c first. */
#include "half.h"

#if defined(__aarch64__)
#include <arm_neon.h>

float f16_to_f32_neon(uint16_t half) {
    return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(half))), 0);
}

uint16_t f16_from_f32_neon(float value) {
    return vget_lane_u16(vreinterpret_u16_f16(vcvt_f16_f32(vdupq_n_f32(value))), 0);
}
#endif
