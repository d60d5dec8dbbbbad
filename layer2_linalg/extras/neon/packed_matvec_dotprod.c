/* packed_matvec_dotprod.c - packed weights times one input, sixteen rows as four registers of
 * four (AArch64).  Read packed_matvec_avx2.c and quantized_neon.c first. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "simd/input_terms.h"
#include "unpack_neon.h"

#undef INLINE
#define INLINE INLINE_OF(DOTPROD)

enum { SUMS = 4, STRIPS = 1, SIGNED_OFFSET = 0 };
typedef float32x4_t Sums;
typedef int8x16_t Codebook;

INLINE float32x4_t zero_sums(void) { return vdupq_n_f32(0); }
INLINE void store_sums(float *y, float32x4_t sums) { vst1q_f32(y, sums); }
INLINE int8x16_t load_layout_codebook(PackedLayout p, const QuantFormat *f) {
    return load_codebook(p.codebook ? f->codebook : NULL);
}

INLINE void input_terms(InputTile x, int offset, int group, InputTerms *terms) {
    for (int g = 0; g < PANEL_COLS / group; g++) {
        int sum = group == 16 ? x.sum[g] : x.sum[2 * g] + x.sum[2 * g + 1];
        terms->start[g] = -offset * sum;
        terms->total[g] = (float)sum * x.d[g * group / 32];
    }
}

INLINE void add_block(PackedLayout p, const unsigned char *tile, size_t block,
                      int8x16_t codebook, InputTile x, const InputTerms *terms,
                      float32x4_t acc[SUMS]) {
    const TileLayout at = tile_layout(p);
    const size_t groups = at.groups / 8;
    const unsigned char *from = tile + at.blocks + block * at.block;
    int32x4_t sum[2][4];
    prefetch_ahead(from, at.block);
    UNROLL for (size_t h = 0; h < groups; h++) {
        UNROLL for (int r = 0; r < 4; r++) {
            sum[h][r] = vdupq_n_s32(terms->start[groups * block + h]);
        }
    }
    UNROLL for (int i = 0; i < 8; i++) {
        const int8x16_t in = broadcast4(x.q + 32 * block + 4 * (size_t)i);
        UNROLL for (int r = 0; r < 4; r++) {
            int32x4_t *total = &sum[groups == 2 ? i / 4 : 0][r];
            *total = vdotq_s32(*total, quad_of(p.bits, from, i, r, codebook, p.codebook), in);
        }
    }
    UNROLL for (size_t h = 0; h < groups; h++) UNROLL for (size_t r = 0; r < 4; r++) {
        size_t g = groups * block + h;
        float32x4_t scale = vmulq_n_f32(scales_of(p.scales, tile, g, 4 * r), x.d[block]);
        acc[r] = vfmaq_f32(acc[r], vcvtq_f32_s32(sum[h][r]), scale);
        if (p.min)
            acc[r] = vfmaq_f32(acc[r], scales_of(p.scales, tile + at.min, g, 4 * r),
                               vdupq_n_f32(terms->total[g]));
    }
}

#include "simd/packed_matvec_template.h"

ROWS_PRODUCT(DOTPROD, rows_product_dotprod)
#endif
