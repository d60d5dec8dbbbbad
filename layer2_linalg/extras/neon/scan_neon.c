/* scan_neon.c - the scans, four registers of four lanes (AArch64).  Read scan.c first. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "exp_neon.h"
#include "simd/scan_lanes.h"

#include <math.h>

/* Sixteen numbers: exponentials in step, then added to the lanes. */
INLINE void add_exps(const float *x, float32x4_t shift, ExpLanes *lanes) {
    float32x4_t d[4], e[4];
    uint32x4_t counts[4];
    for (size_t r = 0; r < 4; r++) {
        d[r] = vsubq_f32(vld1q_f32(x + 4 * r), shift);
        counts[r] = vmvnq_u32(vcltq_f32(d[r], vdupq_n_f32(SCAN_LOWEST))); /* NaN does */
        d[r] = vreinterpretq_f32_u32(vandq_u32(counts[r], vreinterpretq_u32_f32(d[r])));
        e[r] = d[r];
    }
    exp_registers_near(e, 4);
    for (size_t r = 0; r < 4; r++) {
        float *sum = lanes->sum + 4 * r, *weighted = lanes->weighted + 4 * r,
              *squares = lanes->squares + 4 * r;
        e[r] = vreinterpretq_f32_u32(vandq_u32(counts[r], vreinterpretq_u32_f32(e[r])));
        vst1q_f32(sum, vaddq_f32(vld1q_f32(sum), e[r]));
        vst1q_f32(weighted, vaddq_f32(vld1q_f32(weighted), vmulq_f32(d[r], e[r])));
        vst1q_f32(squares, vaddq_f32(vld1q_f32(squares), vmulq_f32(e[r], e[r])));
    }
}

void exp_lanes_neon(ExpLanes *lanes, const float *x, size_t n, float shift) {
    const float32x4_t minus = vdupq_n_f32(shift);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) add_exps(x + i, minus, lanes);
    exp_lanes_scalar(lanes, x + i, n - i, shift);
}

void moment_lanes_neon(MomentLanes *lanes, const float *x, size_t n, float shift) {
    float32x4_t minus = vdupq_n_f32(shift), none = vdupq_n_f32(-INFINITY);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t r = 0; r < 16; r += 4) {
            float32x4_t v = vld1q_f32(x + i + r);
            uint32x4_t some = vmvnq_u32(vceqq_f32(v, none));
            float32x4_t d = vreinterpretq_f32_u32(
                vandq_u32(some, vreinterpretq_u32_f32(vsubq_f32(v, minus))));
            float *sum = lanes->sum + r, *squares = lanes->squares + r;
            lanes->count += vaddvq_u32(vshrq_n_u32(some, 31));
            vst1q_f32(sum, vaddq_f32(vld1q_f32(sum), d));
            vst1q_f32(squares, vaddq_f32(vld1q_f32(squares), vmulq_f32(d, d)));
        }
    moment_lanes_scalar(lanes, x + i, n - i, shift);
}

/* FMAX returns NaN if either operand is NaN. */
void scan_segment_max_neon(const float *x, size_t n, float *out) {
    size_t i = 0;
    for (; i + SCAN_SEGMENT <= n; i += SCAN_SEGMENT) {
        float32x4_t max = vld1q_f32(x + i);
        for (size_t k = 4; k < SCAN_SEGMENT; k += 4) max = vmaxq_f32(max, vld1q_f32(x + i + k));
        *out++ = vmaxvq_f32(max);
    }
    scan_segment_max_scalar(x + i, n - i, out);
}

/* Survivors are rare, so most rounds end at the first test. */
size_t scan_keep_neon(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                      int32_t *out_ids) {
    float32x4_t min = vdupq_n_f32(threshold);
    size_t kept = 0;
    for (size_t i = 0; i < n; i += 16) {
        const bool whole = i + 16 <= n;
        uint32x4_t any = vdupq_n_u32(0);
        for (size_t r = 0; whole && r < 16; r += 4)
            any = vorrq_u32(any, vcgeq_f32(vld1q_f32(x + i + r), min));
        if (whole && vmaxvq_u32(any) == 0) continue;
        for (size_t k = i; k < n && k < i + 16; k++) {
            if (!(x[k] >= threshold)) continue;
            out_ids[kept] = ids ? ids[k] : (int32_t)k;
            out[kept++] = x[k];
        }
    }
    return kept;
}
#endif
