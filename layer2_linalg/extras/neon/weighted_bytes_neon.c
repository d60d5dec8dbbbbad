/* weighted_bytes_neon.c - weighted sums of bytes, sixteen columns in four registers (AArch64).
 * Read weighted_bytes.c first.
 *
 *     vld4q_s8, vld2q_s8   load a group and deinterleave its rows of sixteen columns
 *     vmlal_n_s16          products of 16 bits, added in 32 */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "neon.h"

#include <math.h>
#include <string.h>

enum { MAX_RESULTS = 4 };

INLINE float32x4_t load_halves(const uint16_t *x) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x)));
}

/* The rows of a strip's group. */
INLINE void load_rows(int group, const int8_t *x, int8x16_t row[4]) {
    if (group == 4) {
        int8x16x4_t quad = vld4q_s8(x);
        UNROLL for (int r = 0; r < 4; r++) row[r] = quad.val[r];
    } else {
        int8x16x2_t pair = vld2q_s8(x);
        UNROLL for (int r = 0; r < 2; r++) row[r] = pair.val[r];
    }
}

INLINE int16_t factor_at(int group, const WeightedBytes *t, size_t c, size_t j) {
    return group == 4 ? ((const int8_t *)t->a)[c * t->a_step + j]
                      : ((const int16_t *)t->a)[c * t->a_step + j];
}

/* One row for all results. */
INLINE void add_row(int group, int C, const WeightedBytes *t, size_t j, int8x16_t row,
                    int32x4_t sum[MAX_RESULTS][4]) {
    int16x8_t low = vmovl_s8(vget_low_s8(row)), high = vmovl_s8(vget_high_s8(row));
    UNROLL for (int c = 0; c < C; c++) {
        int16_t a = factor_at(group, t, (size_t)c, j);
        sum[c][0] = vmlal_n_s16(sum[c][0], vget_low_s16(low), a);
        sum[c][1] = vmlal_n_s16(sum[c][1], vget_high_s16(low), a);
        sum[c][2] = vmlal_n_s16(sum[c][2], vget_low_s16(high), a);
        sum[c][3] = vmlal_n_s16(sum[c][3], vget_high_s16(high), a);
    }
}

/* y += scales * sum, for quarter k of strip s of result c. */
INLINE void add_scaled(const WeightedBytes *t, size_t c, size_t s, size_t k, int32x4_t sum) {
    float *y = t->y + c * t->y_step + s * STRIP + 4 * k;
    float32x4_t scale = vdupq_n_f32(t->a_scale[c * t->scale_step]);
    if (t->x_scale) scale = vmulq_f32(scale, load_halves(t->x_scale + s * STRIP + 4 * k));
    vst1q_f32(y, vfmaq_f32(vld1q_f32(y), scale, vcvtq_f32_s32(sum)));
}

INLINE void tile(int group, int C, int S, WeightedBytes t) {
    for (size_t s = 0; s < (size_t)S; s++) {
        const int8_t *x = t.x + s * t.x_step;
        int32x4_t sum[MAX_RESULTS][4];
        UNROLL for (int c = 0; c < C; c++) UNROLL for (int k = 0; k < 4; k++) {
            sum[c][k] = vdupq_n_s32(0);
        }
        for (size_t j = 0; j < t.rows; j += (size_t)group) {
            int8x16_t row[4];
            load_rows(group, x + j * STRIP, row);
            UNROLL for (int r = 0; r < group; r++) {
                add_row(group, C, &t, j + (size_t)r, row[r], sum);
            }
        }
        UNROLL for (int c = 0; c < C; c++) UNROLL for (int k = 0; k < 4; k++) {
            add_scaled(&t, (size_t)c, s, (size_t)k, sum[c][k]);
        }
    }
}

#include "simd/bytes_template.h"

WEIGHTED_BYTES(, neon)

float quantize_factors_neon(const float *w, const uint16_t *scale, size_t n, int16_t *q) {
    uint32x4_t max = vdupq_n_u32(0);
    if (n % 4) return quantize_factors_scalar(w, scale, n, q);
    for (size_t i = 0; i < n; i += 4) {
        float32x4_t x = vmulq_f32(vld1q_f32(w + i), load_halves(scale + i));
        max = vmaxq_u32(max, vreinterpretq_u32_f32(vabsq_f32(x)));
    }
    const uint32_t bits = vmaxvq_u32(max);
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    if (!(largest < INFINITY) || !(largest > 1e-30f))
        return quantize_factors_scalar(w, scale, n, q);
    const float32x4_t inverse = vdupq_n_f32(32767 / largest);
    for (size_t i = 0; i < n; i += 4) {
        float32x4_t x = vmulq_f32(vld1q_f32(w + i), load_halves(scale + i));
        vst1_s16(q + i, vmovn_s32(vcvtnq_s32_f32(vmulq_f32(x, inverse))));
    }
    return largest / 32767;
}
#endif
