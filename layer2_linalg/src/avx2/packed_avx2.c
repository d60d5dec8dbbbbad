/* packed_avx2.c - packed weights to panels, and inputs to bytes, 32 bytes at a time.  Read packed.c
 * and quantized.c first. */
#include "../kernel_types.h"

#if defined(__x86_64__)
#include "unpack_avx2.h"
#include "../simd/unroll.h"

#include <math.h>

INLINE void unpack_block(int bits, const unsigned char *block, const int8_t *entries,
                         int8_t *q) {
    for (size_t half = 0; half < 64; half += 32) UNROLL for (int i = 0; i < 4; i++) {
            __m256i v = shared_by(bits, block + half, i);
            UNROLL for (int quad = i; quad < 8; quad += 4) _mm256_storeu_si256(
                (__m256i *)(q + 64 * quad + half),
                quad_of(bits, v, block + 256 + half, quad, sixteen(entries), entries != NULL));
        }
}

INLINE void unpack_scales(ScaleKind kind, const unsigned char *from, size_t groups,
                          float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++)
        for (size_t row = 0; row < PANEL_ROWS; row += 8)
            _mm256_storeu_ps(out[g] + row, scales_of(kind, from, g, row));
}

#include "../simd/unpack_panel.h"

AVX2 void panel_unpack_avx2(const QuantFormat *f, const unsigned char *piece, Panel *panel) {
    unpack_panel(f, piece, panel);
}

AVX2 float round_block_avx2(const float *x, int8_t *q, int16_t *sum) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF));
    __m256i most = _mm256_setzero_si256();
    __m256 in[4];
    for (int i = 0; i < 4; i++) {
        in[i] = _mm256_loadu_ps(x + 8 * i);
        most = _mm256_max_epu32(most, _mm256_castps_si256(_mm256_and_ps(in[i], magnitude)));
    }
    __m128i half =
        _mm_max_epu32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    half = _mm_max_epu32(half, _mm_shuffle_epi32(half, 0x4E));
    half = _mm_max_epu32(half, _mm_shuffle_epi32(half, 0xB1));
    float largest = _mm_cvtss_f32(_mm_castsi128_ps(half));
    if (!(largest < INFINITY) || !(largest > 1e-30f)) return round_block_scalar(x, q, sum);
    __m256 inverse = _mm256_set1_ps(127 / largest);
    __m256i whole[4];
    for (int i = 0; i < 4; i++) whole[i] = _mm256_cvtps_epi32(_mm256_mul_ps(in[i], inverse));
    for (int i = 0; i < 2; i++) {
        __m256i pair =
            _mm256_packs_epi32(whole[2 * i], whole[2 * i + 1]); /* 0-3 8-11 4-7 12-15 */
        pair = _mm256_permute4x64_epi64(pair, 0xD8);
        __m128i low = _mm256_castsi256_si128(pair), high = _mm256_extracti128_si256(pair, 1);
        _mm_storeu_si128((__m128i *)(q + 16 * i), _mm_packs_epi16(low, high));
        __m128i total = _mm_madd_epi16(_mm_add_epi16(low, high), _mm_set1_epi16(1));
        total = _mm_add_epi32(total, _mm_shuffle_epi32(total, 0x4E));
        total = _mm_add_epi32(total, _mm_shuffle_epi32(total, 0xB1));
        sum[i] = (int16_t)_mm_cvtsi128_si32(total);
    }
    return largest / 127;
}
#endif
