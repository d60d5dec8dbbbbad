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
#include "../kernel_types.h"
#include "../simd/unroll.h"

#if defined(__aarch64__)
#include "neon.h"

INLINE int32x4_t add_neon(int32x4_t sum, int8x16_t w, int8x16_t x) {
    int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x)), high = vmull_high_s8(w, x);
    return vpadalq_s16(sum, vpaddq_s16(low, high));
}

INLINE_OF(DOTPROD) int32x4_t add_dotprod(int32x4_t sum, int8x16_t w, int8x16_t x) {
    return vdotq_s32(sum, w, x);
}

/* C columns with 16 rows.  A weight loaded serves C columns, an input four registers of rows; what
 * is added up over the groups waits in y. */
#define TILE(C, ADD)                                                                         \
    do {                                                                                     \
        const size_t group = (size_t)f->group;                                               \
        for (size_t g = 0; g < n / group; g++) {                                             \
            int32x4_t sum[C][4];                                                             \
            int inputs[C];                                                                   \
            UNROLL for (int c = 0; c < C; c++) {                                             \
                const int16_t *halves = sums + 16 * (at + (size_t)c) + g * group / 16;       \
                inputs[c] = group == 16 ? halves[0] : halves[0] + halves[1];                 \
                UNROLL for (int i = 0; i < 4; i++) sum[c][i] =                               \
                    vdupq_n_s32(-f->offset * inputs[c]);                                     \
            }                                                                                \
            for (size_t quad = g * group / 4; quad < (g + 1) * group / 4; quad++) {          \
                int8x16_t w[4];                                                              \
                UNROLL for (int i = 0; i < 4; i++) w[i] = vld1q_s8(panel->q[quad][4 * i]);   \
                UNROLL for (int c = 0; c < C; c++) {                                         \
                    int8x16_t in = four(q + LEVELS_CHUNK * (at + (size_t)c) + 4 * quad);     \
                    UNROLL for (int i = 0; i < 4; i++) sum[c][i] = ADD(sum[c][i], w[i], in); \
                }                                                                            \
            }                                                                                \
            UNROLL for (int c = 0; c < C; c++) UNROLL for (int i = 0; i < 4; i++) {          \
                float *out = y[at + (size_t)c] + 4 * i;                                      \
                float scale = d[8 * (at + (size_t)c) + g * group / 32];                      \
                float32x4_t acc =                                                            \
                    vfmaq_f32(vld1q_f32(out), vcvtq_f32_s32(sum[c][i]),                      \
                              vmulq_n_f32(vld1q_f32(panel->scale[g] + 4 * i), scale));       \
                if (f->min)                                                                  \
                    acc = vfmaq_f32(acc, vld1q_f32(panel->min[g] + 4 * i),                   \
                                    vdupq_n_f32((float)inputs[c] * scale));                  \
                vst1q_f32(out, acc);                                                         \
            }                                                                                \
        }                                                                                    \
        at += C;                                                                             \
    } while (0)

#define PRODUCT(ADD)                                                      \
    for (const Panel *panel = panels; count; count--, panel++, y += cols) \
        for (size_t at = 0; at < cols;)                                   \
            if (at + 4 <= cols)                                           \
                TILE(4, ADD);                                             \
            else                                                          \
                TILE(1, ADD)

void panel_product_neon(const Panel *panels, size_t count, const QuantFormat *f, size_t n,
                        const int8_t *q, const float *d, const int16_t *sums, size_t cols,
                        float (*y)[PANEL_ROWS]) {
    PRODUCT(add_neon);
}

DOTPROD void panel_product_dotprod(const Panel *panels, size_t count, const QuantFormat *f,
                                   size_t n, const int8_t *q, const float *d,
                                   const int16_t *sums, size_t cols, float (*y)[PANEL_ROWS]) {
    PRODUCT(add_dotprod);
}
#endif
