/* panel_avx2.c - making panels: 16 rows interleaved, inputs quantized to bytes.  Read panel.c
 * first. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "avx2.h"

#include <math.h>

/* Transpose eight rows of eight 32-bit quads: exchange pairs, then fours, then halves. */
INLINE void transpose_8x8(const Quants *rows, size_t quad, PanelQuad *out) {
    __m256i row[8], a[8], b[8];
    UNROLL for (int r = 0; r < 8; r++) {
        row[r] = _mm256_loadu_si256((const __m256i *)(rows[r].q + 4 * quad));
    }
    UNROLL for (int r = 0; r < 8; r += 2) {
        a[r] = _mm256_unpacklo_epi32(row[r], row[r + 1]);
        a[r + 1] = _mm256_unpackhi_epi32(row[r], row[r + 1]);
    }
    UNROLL for (int r = 0; r < 8; r += 4) {
        b[r] = _mm256_unpacklo_epi64(a[r], a[r + 2]);
        b[r + 1] = _mm256_unpackhi_epi64(a[r], a[r + 2]);
        b[r + 2] = _mm256_unpacklo_epi64(a[r + 1], a[r + 3]);
        b[r + 3] = _mm256_unpackhi_epi64(a[r + 1], a[r + 3]);
    }
    UNROLL for (int r = 0; r < 4; r++) {
        _mm256_storeu_si256((__m256i *)out[quad + (size_t)r][0],
                            _mm256_permute2x128_si256(b[r], b[r + 4], 0x20));
        _mm256_storeu_si256((__m256i *)out[quad + (size_t)r + 4][0],
                            _mm256_permute2x128_si256(b[r], b[r + 4], 0x31));
    }
}

AVX2 void panel_interleave_avx2(const Quants rows[PANEL_ROWS], PanelQuad q[PANEL_QUADS]) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad += 8) {
        transpose_8x8(rows, quad, q);
        transpose_8x8(rows + 8, quad, (PanelQuad *)q[0][8]);
    }
}

AVX2 float quantize_input_block_avx2(const float *x, int8_t *q, int16_t *sum) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF));
    __m256i max = _mm256_setzero_si256();
    __m256 in[4];
    for (int i = 0; i < 4; i++) {
        in[i] = _mm256_loadu_ps(x + 8 * i);
        max = _mm256_max_epu32(max, _mm256_castps_si256(_mm256_and_ps(in[i], magnitude)));
    }
    float largest = largest_magnitude(max);
    if (!(largest < INFINITY) || !(largest > 1e-30f))
        return quantize_input_block_scalar(x, q, sum);
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
