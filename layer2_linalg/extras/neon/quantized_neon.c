/* quantized_neon.c - products of a panel, sixteen rows as four registers of four.  Read panel.c
 * first.
 *
 *     w     |row0 k0..3|row1 k0..3|row2 k0..3|row3 k0..3|       16 bytes
 *     x     |     k0..3|     k0..3|     k0..3|     k0..3|
 *
 *     NEON       smull: 16-bit products; addp: sums of neighbours; sadalp: added to 32-bit sums
 *     dotprod    sdot does all three
 *
 * The largest pair is 2 * 128 * 127 = 32512, which fits in 16 bits. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "neon.h"

/* sum += the products of four quads, one per row. */
typedef int32x4_t AddQuads(int32x4_t sum, int8x16_t w, int8x16_t x);

INLINE int32x4_t add_neon(int32x4_t sum, int8x16_t w, int8x16_t x) {
    int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x)), high = vmull_high_s8(w, x);
    return vpadalq_s16(sum, vpaddq_s16(low, high));
}

INLINE_OF(DOTPROD) int32x4_t add_dotprod(int32x4_t sum, int8x16_t w, int8x16_t x) {
    return vdotq_s32(sum, w, x);
}

enum { COLS = 4 };

/* sum[c][i] = group g of rows 4 i .. 4 i + 3 times input c.  A loaded weight serves `cols`
 * inputs, an input four registers of rows. */
INLINE void dot_group(int cols, AddQuads *add, const Panel *panel, const QuantFormat *f,
                      const int8_t *q, size_t g, const int *inputs, int32x4_t sum[COLS][4]) {
    const size_t quads = (size_t)f->group / 4;
    UNROLL for (int c = 0; c < cols; c++) UNROLL for (int i = 0; i < 4; i++) {
        sum[c][i] = vdupq_n_s32(-f->offset * inputs[c]);
    }
    for (size_t quad = g * quads; quad < (g + 1) * quads; quad++) {
        int8x16_t w[4];
        UNROLL for (int i = 0; i < 4; i++) w[i] = vld1q_s8(panel->q[quad][4 * i]);
        UNROLL for (int c = 0; c < cols; c++) {
            int8x16_t in = broadcast4(q + PANEL_COLS * c + 4 * quad);
            UNROLL for (int i = 0; i < 4; i++) sum[c][i] = add(sum[c][i], w[i], in);
        }
    }
}

/* y[c] += a panel times the first `cols` inputs; the sums over groups are kept in y. */
INLINE void tile(int cols, AddQuads *add, const Panel *panel, const QuantFormat *f, InputTile x,
                 float (*y)[PANEL_ROWS]) {
    const size_t group = (size_t)f->group;
    for (size_t g = 0; g < x.n / group; g++) {
        int32x4_t sum[COLS][4];
        int inputs[COLS];
        UNROLL for (int c = 0; c < cols; c++) {
            const int16_t *halves = x.sum + 16 * c + g * group / 16;
            inputs[c] = group == 16 ? halves[0] : halves[0] + halves[1];
        }
        dot_group(cols, add, panel, f, x.q, g, inputs, sum);
        UNROLL for (int c = 0; c < cols; c++) UNROLL for (int i = 0; i < 4; i++) {
            float d = x.d[8 * (size_t)c + g * group / 32];
            float32x4_t acc = vfmaq_f32(vld1q_f32(y[c] + 4 * i), vcvtq_f32_s32(sum[c][i]),
                                        vmulq_n_f32(vld1q_f32(panel->scale[g] + 4 * i), d));
            if (f->min)
                acc = vfmaq_f32(acc, vld1q_f32(panel->min[g] + 4 * i),
                                vdupq_n_f32((float)inputs[c] * d));
            vst1q_f32(y[c] + 4 * i, acc);
        }
    }
}

INLINE void product(AddQuads *add, const Panel *panels, size_t count, const QuantFormat *f,
                    InputTile x, float (*y)[PANEL_ROWS]) {
    for (size_t p = 0; p < count; p++) {
        InputTile left = x;
        for (; left.count >= COLS; left = input_tile_after(left, COLS), y += COLS)
            tile(COLS, add, panels + p, f, left, y);
        for (; left.count; left = input_tile_after(left, 1), y++)
            tile(1, add, panels + p, f, left, y);
    }
}

void panel_product_neon(const Panel *panels, size_t count, const QuantFormat *f,
                        const InputTile *x, float (*y)[PANEL_ROWS]) {
    product(add_neon, panels, count, f, *x, y);
}

DOTPROD void panel_product_dotprod(const Panel *panels, size_t count, const QuantFormat *f,
                                   const InputTile *x, float (*y)[PANEL_ROWS]) {
    product(add_dotprod, panels, count, f, *x, y);
}
#endif
