/* exp_neon.h - the registers of exp_template.h, four floats each; for vector_neon.c,
 * scan_neon.c. */
#ifndef STRATA_EXP_NEON_H
#define STRATA_EXP_NEON_H

#include "neon.h"

enum { FLOATS = 4 };
typedef float32x4_t Floats;
typedef int32x4_t Ints;

INLINE float32x4_t load(const float *x) { return vld1q_f32(x); }
INLINE void store(float *x, float32x4_t v) { vst1q_f32(x, v); }
INLINE float32x4_t set(float x) { return vdupq_n_f32(x); }
INLINE float32x4_t add(float32x4_t a, float32x4_t b) { return vaddq_f32(a, b); }
INLINE float32x4_t sub(float32x4_t a, float32x4_t b) { return vsubq_f32(a, b); }
INLINE float32x4_t mul(float32x4_t a, float32x4_t b) { return vmulq_f32(a, b); }
INLINE float32x4_t at_most(float32x4_t v, float x) { return vminq_f32(v, set(x)); }
INLINE float32x4_t at_least(float32x4_t v, float x) { return vmaxq_f32(v, set(x)); }
INLINE int32x4_t to_ints(float32x4_t v) { return vcvtq_s32_f32(v); }
INLINE int32x4_t halve_ints(int32x4_t m) { return vshrq_n_s32(m, 1); }
INLINE int32x4_t sub_ints(int32x4_t a, int32x4_t b) { return vsubq_s32(a, b); }
INLINE float32x4_t power_of_two(int32x4_t m) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(m, vdupq_n_s32(127)), 23));
}

#include "simd/exp_template.h"

#endif
