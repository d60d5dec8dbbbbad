/* recurrence_neon.c - a step of a recurrence, four registers of four lanes (AArch64).  Read
 * recurrence.c first. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "neon.h"

#include <math.h>

/* Fold 16 lanes in four registers: halves of 8, 4, 2, 1. */
INLINE float add_lanes(const float lanes[16]) {
    float32x4_t low = vaddq_f32(vld1q_f32(lanes), vld1q_f32(lanes + 8)),
                high = vaddq_f32(vld1q_f32(lanes + 4), vld1q_f32(lanes + 12));
    float quarter[4];
    vst1q_f32(quarter, vaddq_f32(low, high));
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

void recurrence_step_neon(const Recurrence *t) {
    for (size_t r = 0; r < t->rows; r++) {
        const float *before = t->before + r * t->n, *decay = t->decay + r * t->n;
        float *after = t->after + r * t->n, lanes[16];
        float32x4_t in = vdupq_n_f32(t->in[r]),
                    sum[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
        size_t i = 0;
        for (; i + 16 <= t->n; i += 16) UNROLL for (size_t k = 0; k < 4; k++) {
                size_t at = i + 4 * k;
                float32x4_t old = vmulq_f32(vld1q_f32(decay + at), vld1q_f32(before + at)),
                            new = vfmaq_f32(old, in, vld1q_f32(t->b + at));
                vst1q_f32(after + at, new);
                sum[k] = vfmaq_f32(sum[k], new, vld1q_f32(t->c + at));
            }
        for (size_t k = 0; k < 4; k++) vst1q_f32(lanes + 4 * k, sum[k]);
        for (size_t lane = 0; i < t->n; i++, lane++) {
            after[i] = fmaf(t->in[r], t->b[i], decay[i] * before[i]);
            lanes[lane] = fmaf(after[i], t->c[i], lanes[lane]);
        }
        t->out[r] = add_lanes(lanes);
    }
}

/* ------------------------------------------------------------------ rows in strips: a lane for
 * each */

enum { LANES = 4, SIDE = 1 };
typedef float32x4_t Vector;
#define vector_zero()       vdupq_n_f32(0)
#define vector_all(x)       vdupq_n_f32(x)
#define vector_load(p)      vld1q_f32(p)
#define vector_store(p, v)  vst1q_f32(p, v)
#define vector_mul(a, b)    vmulq_f32(a, b)
#define vector_fma(a, b, c) vfmaq_f32(c, a, b)
#include "simd/strip_rows_template.h"
RECURRENCE_STRIPS(, neon)
#endif
