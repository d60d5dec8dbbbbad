/* packed_one_dotprod.c - packed weights times one column, sixteen rows as four registers of four.
 * Read packed_one_avx2.c and quantized_neon.c first. */
#include "../kernel_types.h"

#if defined(__aarch64__)
#include "../simd/smaller.h"
#include "unpack_neon.h"
#include "../simd/unroll.h"

/* acc += a block of 32 weights of 16 rows: one of the piece's eight. */
INLINE_OF(DOTPROD)
void add_block(Plan p, const QuantFormat *f, const unsigned char *piece, size_t block,
               int8x16_t entries, const int8_t *q, float d, const int16_t *sums,
               float32x4_t acc[4]) {
    const PieceLayout at = layout_of(p);
    const size_t groups = at.groups / 8;
    const unsigned char *from = piece + at.blocks + block * at.block;
    const int inputs[2] = {groups == 2 ? sums[0] : sums[0] + sums[1], sums[1]};
    int32x4_t sum[2][4];
    ask_ahead(from, at.block);
    UNROLL for (size_t h = 0; h < groups; h++) UNROLL for (int r = 0; r < 4; r++) sum[h][r] =
        vdupq_n_s32(-f->offset * inputs[h]);
    UNROLL for (int i = 0; i < 8; i++) {
        const int8x16_t x = four(q + 4 * i);
        UNROLL for (int r = 0; r < 4; r++) {
            int32x4_t *total = &sum[groups == 2 ? i / 4 : 0][r];
            *total = vdotq_s32(*total, quad_of(p.bits, from, i, r, entries, p.look_up), x);
        }
    }
    UNROLL for (size_t h = 0; h < groups; h++) UNROLL for (size_t r = 0; r < 4; r++) {
        size_t g = groups * block + h;
        float32x4_t scale = vmulq_n_f32(scales_of(p.scales, piece, g, 4 * r), d);
        acc[r] = vfmaq_f32(acc[r], vcvtq_f32_s32(sum[h][r]), scale);
        if (p.min)
            acc[r] = vfmaq_f32(acc[r], scales_of(p.scales, piece + at.min, g, 4 * r),
                               vdupq_n_f32((float)inputs[h] * d));
    }
}

INLINE_OF(DOTPROD)
void multiply(Plan p, const QuantFormat *f, const unsigned char *piece, const Columns *x,
              size_t column, float *y) {
    const PieceLayout at = layout_of(p);
    const int8x16_t entries = sixteen(p.look_up ? f->entries : NULL);
    float32x4_t acc[4];
    UNROLL for (int r = 0; r < 4; r++) acc[r] = vdupq_n_f32(0);
    for (size_t k = 0; k < x->k; k += LEVELS_CHUNK, piece += at.bytes) {
        const size_t first = columns_at(x, column, k),
                     blocks = smaller(x->k - k, LEVELS_CHUNK) / 32;
        const int8_t *q = x->q + first;
        const float *d = x->d + first / 32;
        const int16_t *sums = x->sum + first / 16;
        ask_ahead(piece, at.blocks);
        for (size_t block = 0; block < blocks; block++)
            add_block(p, f, piece, block, entries, q + 32 * block, d[block], sums + 2 * block,
                      acc);
    }
    UNROLL for (int r = 0; r < 4; r++) vst1q_f32(y + 4 * r, acc[r]);
}

#include "../simd/every_plan.h"

DOTPROD void rows_product_dotprod(const QuantFormat *f, const unsigned char *piece,
                                  const Columns *x, size_t column, float *y) {
    MULTIPLY_AS_PLANNED
}
#endif
