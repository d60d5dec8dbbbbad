/* packed_matvec_vnni.c - packed weights times one input, sixteen rows in one register.  Read
 * packed_matvec_avx2.c and quantized_vnni.c first.
 *
 * 128 is added to signed quants, and subtracted with the offset. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx2/inputs_avx2.h"
#include "unpack_avx512.h"

#undef INLINE
#define INLINE INLINE_OF(VNNI)

enum { SUMS = 1, STRIPS = 1, SIGNED_OFFSET = 128 };
typedef __m512 Sums;
typedef __m512i Codebook;

INLINE __m512 zero_sums(void) { return _mm512_setzero_ps(); }
INLINE void store_sums(float *y, __m512 sums) { _mm512_storeu_ps(y, sums); }
INLINE __m512i load_layout_codebook(PackedLayout p, const QuantFormat *f) {
    return _mm512_xor_si512(load_codebook(p.codebook ? f->codebook : NULL),
                            _mm512_set1_epi8((char)(p.max == 0 ? SIGNED_OFFSET : 0)));
}

INLINE void add_block(PackedLayout p, const unsigned char *tile, size_t block, __m512i codebook,
                      InputTile x, const InputTerms *terms, __m512 acc[SUMS]) {
    const TileLayout at = tile_layout(p);
    const size_t groups = at.groups / 8;
    const unsigned char *from = tile + at.blocks + block * at.block;
    __m512i sum[2] = {_mm512_set1_epi32(terms->start[groups * block]), _mm512_setzero_si512()};
    if (groups == 2) sum[1] = _mm512_set1_epi32(terms->start[groups * block + 1]);
    prefetch_ahead(from, at.block);
    UNROLL for (int i = 0; i < 8; i++) {
        __m512i w = quad_of(p.bits, from, i, codebook, p.codebook);
        if (p.bits == 8) w = _mm512_xor_si512(w, _mm512_set1_epi8((char)0x80));
        sum[i / 4] =
            _mm512_dpbusd_epi32(sum[i / 4], w, broadcast4(x.q + 32 * block + 4 * (size_t)i));
    }
    if (groups == 1) sum[0] = _mm512_add_epi32(sum[0], sum[1]);
    UNROLL for (size_t h = 0; h < groups; h++) {
        size_t g = groups * block + h;
        __m512 scale = _mm512_mul_ps(scales_of(p.scales, tile, g), _mm512_set1_ps(x.d[block]));
        *acc = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[h]), scale, *acc);
        if (p.min)
            *acc = _mm512_fmadd_ps(scales_of(p.scales, tile + at.min, g),
                                   _mm512_set1_ps(terms->total[g]), *acc);
    }
}

#include "simd/packed_matvec_template.h"

ROWS_PRODUCT(VNNI, rows_product_vnni)
#endif
