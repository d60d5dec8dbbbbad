/* unpack_avx512.h - read packed weights, sixteen rows in one register.  Read unpack_avx2.h
 * first. */
#ifndef STRATA_UNPACK_AVX512_H
#define STRATA_UNPACK_AVX512_H

#include "avx512.h"
#include "simd/packed_layout.h"

/* A codebook of sixteen quants, four times. */
INLINE __m512i load_codebook(const int8_t *codebook) {
    return codebook ? _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)codebook))
                    : _mm512_setzero_si512();
}

/* `bits` of each byte, shifted left, or right if `left` < 0. */
INLINE __m512i bits_of(__m512i v, int up, int bits) {
    v = up < 0 ? _mm512_srli_epi16(v, (unsigned)-up) : _mm512_slli_epi16(v, (unsigned)up);
    return _mm512_and_si512(v, _mm512_set1_epi8((char)bits));
}

/* Quad i of a block's eight for 16 rows; bits and i are constants at each call. */
INLINE __m512i quad_of(int bits, const unsigned char *block, int i, __m512i codebook,
                       bool use_codebook) {
    const unsigned char *high = block + 256;
    if (bits == 8) return _mm512_loadu_si512(block + 64 * i);
    __m512i v = bits_of(_mm512_loadu_si512(block + 64 * (i % 4)), i < 4 ? 0 : -4, 15);
    if (bits == 5) v = _mm512_or_si512(v, bits_of(_mm512_loadu_si512(high), 4 - i, 16));
    if (bits == 6)
        v = _mm512_or_si512(
            v, bits_of(_mm512_loadu_si512(high + 64 * (i / 4)), 4 - 2 * (i % 4), 48));
    return use_codebook ? _mm512_shuffle_epi8(codebook, v) : v;
}

/* The scales (or mins) of group g for 16 rows. */
INLINE __m512 scales_of(ScaleKind kind, const unsigned char *from, size_t g) {
    if (kind == SCALE_SUPERBLOCK) {
        __m128i sub_scale = _mm_loadu_si128((const __m128i *)(from + 64 + PANEL_ROWS * g));
        return _mm512_mul_ps(_mm512_loadu_ps(from),
                             _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(sub_scale)));
    }
    __m256i half = _mm256_loadu_si256((const __m256i *)(from + 2 * PANEL_ROWS * g));
    return kind == SCALE_F16
               ? _mm512_cvtph_ps(half)
               : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

#endif
