/* packed_matvec_avx2.c - packed weights times one input, as decoding does for each token.  Read
 * quantized_avx2.c first.
 *
 *     packed tile --> registers --> products           nothing is stored in between
 *
 * Two strips of sixteen rows are read side by side, because main memory delivers two streams
 * faster than one.
 *
 * Many inputs share an unpacked panel.  One input would read it only once, and storing 4096
 * quants costs as much as multiplying them. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "inputs_avx2.h"
#include "maddubs_avx2.h"
#include "unpack_avx2.h"

/* sum += the products of 32 quants of 16 rows, some quads at a time in 16 bits.  Quads i and 4
 * + i share bytes, so they are taken together, in two chains; groups of 16 keep these apart. */
INLINE void add_quads(PackedLayout p, const unsigned char *block, __m256i codebook,
                      const int8_t *q, __m256i sum[2][2]) {
    const int quads = quads_per_i16(p);
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i part[2][2] = {{ones, ones}, {ones, ones}};
    UNROLL for (int i = 0; i < 4; i++) {
        const __m256i x[2] = {broadcast4(q + 4 * i), broadcast4(q + 16 + 4 * i)};
        UNROLL for (int r = 0; r < 2; r++) {
            const __m256i v = load_nibbles(p.bits, block + 32 * r, i);
            UNROLL for (int half = 0; half < 2; half++) {
                __m256i w = p.bits == 8 && half ? load(block + 32 * r + 64 * (4 + i))
                                                : quad_of(p.bits, v, block + 256 + 32 * r,
                                                          i + 4 * half, codebook, p.codebook),
                        product = dot_pairs_u8s8(w, x[half], p.max == 0),
                        *total = &sum[p.group == 16 ? half : 0][r], *chain = &part[half][r];
                *chain = i % quads ? _mm256_add_epi16(*chain, product) : product;
                KEEP_IN_REGISTER(*chain);
                if (quads < 8 && (i % quads == quads - 1))
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(*chain, ones));
            }
        }
    }
    UNROLL for (int r = 0; r < 2; r++) if (quads == 8) sum[0][r] = _mm256_add_epi32(
        sum[0][r], _mm256_madd_epi16(_mm256_add_epi16(part[0][r], part[1][r]), ones));
}

enum { SUMS = 2, STRIPS = 2, SIGNED_OFFSET = 0 };
typedef __m256 Sums;
typedef __m256i Codebook;

INLINE __m256 zero_sums(void) { return _mm256_setzero_ps(); }
INLINE void store_sums(float *y, __m256 sums) { _mm256_storeu_ps(y, sums); }
INLINE __m256i load_layout_codebook(PackedLayout p, const QuantFormat *f) {
    return load_codebook(p.codebook ? f->codebook : NULL);
}

INLINE void add_block(PackedLayout p, const unsigned char *tile, size_t block, __m256i codebook,
                      InputTile x, const InputTerms *terms, __m256 acc[SUMS]) {
    const TileLayout at = tile_layout(p);
    const size_t groups = at.groups / 8;
    const unsigned char *from = tile + at.blocks + block * at.block;
    const __m256 d = _mm256_broadcast_ss(x.d + block);
    __m256i sum[2][2];
    prefetch_ahead(from, at.block);
    UNROLL for (size_t h = 0; h < groups; h++) {
        sum[h][0] = sum[h][1] = _mm256_set1_epi32(terms->start[groups * block + h]);
    }
    add_quads(p, from, codebook, x.q + 32 * block, sum);
    UNROLL for (size_t h = 0; h < groups; h++) UNROLL for (size_t r = 0; r < 2; r++) {
        size_t g = groups * block + h;
        __m256 scale = _mm256_mul_ps(scales_of(p.scales, tile, g, 8 * r), d);
        acc[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[h][r]), scale, acc[r]);
        if (p.min)
            acc[r] = _mm256_fmadd_ps(scales_of(p.scales, tile + at.min, g, 8 * r),
                                     _mm256_broadcast_ss(terms->total + g), acc[r]);
    }
}

#include "../simd/packed_matvec_template.h"

ROWS_PRODUCT(AVX2, rows_product_avx2)
#endif
