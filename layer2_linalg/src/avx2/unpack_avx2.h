/* unpack_avx2.h - read packed weights, 32 bytes at a time.  Read packed_layout.h first. */
#ifndef STRATA_UNPACK_AVX2_H
#define STRATA_UNPACK_AVX2_H

#include "maddubs_avx2.h"
#include "../simd/packed_layout.h"

/* A codebook of 16 quants, twice. */
INLINE __m256i load_codebook(const int8_t *codebook) {
    return codebook ? _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)codebook))
                    : _mm256_setzero_si256();
}

/* The bytes that quads i and 4 + i share.  A function, so that the compiler loads them once. */
INLINE __m256i load_nibbles(int bits, const unsigned char *low, int i) {
    __m256i v = load(low + 64 * i);
    if (bits < 8) KEEP_IN_REGISTER(v);
    return v;
}

/* Quad i of a block's eight for 8 rows: four bits from `v`, the others from `high`. */
INLINE __m256i quad_of(int bits, __m256i v, const unsigned char *high, int i, __m256i codebook,
                       bool use_codebook) {
    __m256i up;
    if (bits == 8) return v;
    v = _mm256_and_si256(i < 4 ? v : _mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
    if (bits == 5) {
        up = load(high);
        KEEP_IN_REGISTER(up); /* as in load_nibbles */
        up = i < 4 ? _mm256_slli_epi16(up, 4 - i) : _mm256_srli_epi16(up, i - 4);
        v = _mm256_or_si256(v, _mm256_and_si256(up, _mm256_set1_epi8(16)));
    }
    if (bits == 6) {
        up = load(high + 64 * (i / 4));
        up = i % 4 < 2 ? _mm256_slli_epi16(up, 4 - 2 * (i % 4))
                       : _mm256_srli_epi16(up, 2 * (i % 4) - 4);
        v = _mm256_or_si256(v, _mm256_and_si256(up, _mm256_set1_epi8(48)));
    }
    return use_codebook ? _mm256_shuffle_epi8(codebook, v) : v;
}

/* The scales (or mins) of group g for the 8 rows from `row` on. */
INLINE __m256 scales_of(ScaleKind kind, const unsigned char *from, size_t g, size_t row) {
    if (kind == SCALE_SUPERBLOCK) {
        __m128i sub_scale =
            _mm_loadl_epi64((const __m128i *)(from + 64 + PANEL_ROWS * g + row));
        return _mm256_mul_ps(_mm256_loadu_ps((const float *)(const void *)from + row),
                             _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(sub_scale)));
    }
    __m128i half = _mm_loadu_si128((const __m128i *)(from + 2 * (PANEL_ROWS * g + row)));
    return kind == SCALE_F16
               ? _mm256_cvtph_ps(half)
               : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

#endif
