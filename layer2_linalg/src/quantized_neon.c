/* quantized_neon.c - products of a panel, sixteen rows as four registers of four.  Read quantized.c
 * first.
 *
 *     w     |row0 k0..3|row1 k0..3|row2 k0..3|row3 k0..3|       16 bytes
 *     x     |     k0..3|     k0..3|     k0..3|     k0..3|
 *
 *     NEON       smull makes 16-bit products, addp adds neighbours, sadalp adds these to 32-bit sums
 *     dotprod    sdot does all three
 *
 * The largest pair is 2 * 128 * 127 = 32512: it fits 16 bits. */
#include "panel.h"
#include "unroll.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#define DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
#define INLINE  static inline __attribute__((always_inline))

INLINE int8x16_t four(const int8_t *q) {
    int32_t bytes;
    memcpy(&bytes, q, 4);
    return vreinterpretq_s8_s32(vdupq_n_s32(bytes));
}

INLINE int32x4_t add_neon(int32x4_t sum, int8x16_t w, int8x16_t x) {
    int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x)), high = vmull_high_s8(w, x);
    return vpadalq_s16(sum, vpaddq_s16(low, high));
}

DOTPROD static inline __attribute__((always_inline)) int32x4_t
add_dotprod(int32x4_t sum, int8x16_t w, int8x16_t x) {
    return vdotq_s32(sum, w, x);
}

/* One column with 16 rows. */
#define COLUMN(ADD)                                                                         \
    do {                                                                                    \
        size_t group = (size_t)f->group;                                                    \
        float32x4_t acc[4];                                                                 \
        UNROLL for (int i = 0; i < 4; i++) acc[i] = vld1q_f32(y[0] + 4 * i);                \
        for (size_t g = 0; g < n / group; g++) {                                            \
            int total = group == 16 ? sums[g] : sums[2 * g] + sums[2 * g + 1];              \
            int32x4_t sum[4];                                                               \
            UNROLL for (int i = 0; i < 4; i++) sum[i] = vdupq_n_s32(-f->offset * total);    \
            for (size_t quad = g * group / 4; quad < (g + 1) * group / 4; quad++) {         \
                int8x16_t in = four(q + 4 * quad);                                          \
                UNROLL for (int i = 0; i < 4; i++) sum[i] =                                 \
                    ADD(sum[i], vld1q_s8(panel->q[quad][4 * i]), in);                       \
            }                                                                               \
            float32x4_t scale = vdupq_n_f32(d[g * group / 32]),                             \
                        inputs = vdupq_n_f32((float)total);                                 \
            UNROLL for (int i = 0; i < 4; i++) {                                            \
                acc[i] = vfmaq_f32(acc[i], vcvtq_f32_s32(sum[i]),                           \
                                   vmulq_f32(vld1q_f32(panel->scale[g] + 4 * i), scale));   \
                if (f->min)                                                                 \
                    acc[i] = vfmaq_f32(acc[i], inputs,                                      \
                                       vmulq_f32(vld1q_f32(panel->min[g] + 4 * i), scale)); \
            }                                                                               \
        }                                                                                   \
        UNROLL for (int i = 0; i < 4; i++) vst1q_f32(y[0] + 4 * i, acc[i]);                 \
        cols--, y++, q += LEVELS_CHUNK, d += 8, sums += 16;                                 \
    } while (0)

void panel_product_neon(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q,
                        const float *d, const int16_t *sums, size_t cols,
                        float (*y)[PANEL_ROWS]) {
    while (cols) COLUMN(add_neon);
}

DOTPROD void panel_product_dotprod(const Panel *panel, const QuantFormat *f, size_t n,
                                   const int8_t *q, const float *d, const int16_t *sums,
                                   size_t cols, float (*y)[PANEL_ROWS]) {
    while (cols) COLUMN(add_dotprod);
}
#endif
