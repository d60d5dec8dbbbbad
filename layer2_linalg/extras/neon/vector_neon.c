/* vector_neon.c - weighted sum, sum, max, mask and exp, four lanes at a time (AArch64).
 * Read vector.c first. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "exp_neon.h"
#include "neon.h"

#include <math.h>
#include <string.h>

enum {
    LANES = 4,
    MAX_RESULTS = 4,
    SUMS = 16,
    PAGE = 4096
}; /* bytes: how far ahead strips are prefetched */

/* A register of x from number `at` on, whatever its format. */
INLINE float32x4_t load_at(const void *x, size_t at, StripFormat format) {
    const char *p = (const char *)x + strip_number_bytes(format) * at;
    if (format == STRIP_F32) return vld1q_f32((const float *)(const void *)p);
    if (format == STRIP_F16)
        return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const uint16_t *)p)));
    if (format == STRIP_BF16)
        return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16((const uint16_t *)p), 16));
    uint32_t four;
    memcpy(&four, p, sizeof four);
    uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(four));
    if (format == STRIP_LOW4) bytes = vand_u8(bytes, vdup_n_u8(15));
    if (format == STRIP_HIGH4) bytes = vshr_n_u8(bytes, 4);
    bytes = vsub_u8(bytes, vdup_n_u8(8));
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(bytes)))));
}

/* C results, R registers each; C, R and the format are constants at each call. */
INLINE void tile(int C, int R, StripFormat format, WeightedTask t, size_t at) {
    float32x4_t sum[MAX_RESULTS][16], row[16];
    const size_t size = strip_number_bytes(format);
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        sum[c][r] = vld1q_f32(t.y + (size_t)c * t.y_step + 4 * r);
    }
    for (const float *a = t.a, *end = a + t.rows; a < end; a++, at += 16) {
        UNROLL for (int s = 0; 4 * s < R; s++)
            prefetch((const char *)t.x + size * (at + (size_t)s * t.x_step) + PAGE, 1);
        UNROLL for (int r = 0; r < R; r++) {
            row[r] =
                load_at(t.x, at + (size_t)(r / 4) * t.x_step + 4 * (size_t)(r % 4), format);
        }
        UNROLL for (int c = 0; c < C; c++) {
            float32x4_t factor = vdupq_n_f32(a[(size_t)c * t.a_step]);
            UNROLL for (int r = 0; r < R; r++) sum[c][r] = vfmaq_f32(sum[c][r], row[r], factor);
        }
    }
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < R; r++) {
        vst1q_f32(t.y + (size_t)c * t.y_step + 4 * r, sum[c][r]);
    }
}

#include "simd/strips_template.h"

WEIGHTED_SUMS(, neon, scalar)

float vector_sum_neon(const float *x, size_t n) {
    float32x4_t sum[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (size_t j = 0; j < 4; j++) sum[j] = vaddq_f32(sum[j], vld1q_f32(x + i + 4 * j));
    float lanes[4];
    vst1q_f32(lanes, vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
    return ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) + vector_sum_scalar(x + i, n - i);
}

/* FMAX returns NaN if either operand is NaN. */
float vector_max_neon(const float *x, size_t n) {
    float32x4_t max = vdupq_n_f32(-INFINITY);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) max = vmaxq_f32(max, vld1q_f32(x + i));
    float pair[2] = {vmaxvq_f32(max), vector_max_scalar(x + i, n - i)};
    return vector_max_scalar(pair, 2);
}

/* Lane i tests bit i of four. */
void vector_mask_neon(float *x, const uint64_t *bits, size_t n) {
    const uint32x4_t lane = {1, 2, 4, 8};
    const float32x4_t never = vdupq_n_f32(-INFINITY);
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t word = bits[i / 64];
        if (word == UINT64_MAX) continue;
        for (size_t k = 0; k < 64; k += 4) {
            uint32x4_t keep = vtstq_u32(vdupq_n_u32((uint32_t)(word >> k & 0xF)), lane);
            vst1q_f32(x + i + k, vbslq_f32(keep, vld1q_f32(x + i + k), never));
        }
    }
    vector_mask_scalar(x + i, bits + i / 64, n - i);
}

void vector_exp_neon(float *out, const float *x, float shift, size_t n) {
    size_t done = exp_all(out, x, shift, n);
    vector_exp_scalar(out + done, x + done, shift, n - done);
}
#endif
