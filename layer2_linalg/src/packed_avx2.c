/* packed_avx2.c - packed weights to panels, and inputs to bytes, 32 bytes at a time.  Read packed.c and quantized.c
 * first. */
#include "unpack.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define AVX2   __attribute__((target("avx2,fma,f16c")))
#define INLINE static inline __attribute__((always_inline)) AVX2

INLINE __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINE void store(void *p, __m256i v) { _mm256_storeu_si256((__m256i *)p, v); }

/* Bits `at` and up of every byte, as many as the mask has. */
INLINE __m256i bits_of(__m256i v, int at, __m256i mask) {
    return _mm256_and_si256(_mm256_srli_epi16(v, at), mask);
}

/* Pieces are read once and in order: asking for what lies some pages ahead, a line for each line read, hides the way to
 * main memory. */
enum { AHEAD = 3072 };
INLINE void ask_ahead(const unsigned char *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64)
        _mm_prefetch((const char *)from + AHEAD + at, _MM_HINT_T0);
}

/* Eight quads of a group, 32 of each one's 64 bytes: four bits from `low`, the rest from `high`. */
INLINE void unpack_group(int bits, const unsigned char *low, const unsigned char *high,
                         __m256i entries, bool look_up, int8_t *q) {
    const __m256i nibble = _mm256_set1_epi8(15), one = _mm256_set1_epi8(16),
                  two = _mm256_set1_epi8(48);
    for (size_t half = 0; half < 64; half += 32) {
        __m256i extra = bits == 5 ? load(high + half) : _mm256_setzero_si256();
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            __m256i v = bits_of(load(low + 64 * (i % 4) + half), 4 * (i / 4), nibble);
            if (bits == 5) {
                __m256i bit =
                    i < 4 ? _mm256_slli_epi16(extra, 4 - i) : _mm256_srli_epi16(extra, i - 4);
                v = _mm256_or_si256(v, _mm256_and_si256(bit, one));
            }
            if (bits == 6) {
                __m256i pair = load(high + 64 * (i / 4) + half);
                pair = i % 4 < 2 ? _mm256_slli_epi16(pair, 4 - 2 * (i % 4))
                                 : _mm256_srli_epi16(pair, 2 * (i % 4) - 4);
                v = _mm256_or_si256(v, _mm256_and_si256(pair, two));
            }
            if (look_up) v = _mm256_shuffle_epi8(entries, v);
            store(q + 64 * i + half, v);
        }
    }
}

INLINE void unpack_all(int bits, const unsigned char *low, const unsigned char *high,
                       const int8_t *entries, int8_t *q) {
    __m256i table = _mm256_setzero_si256();
    if (entries) table = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
    for (size_t g = 0; g < 8; g++) {
        size_t more = bits == 6 ? 128 : 64;
        ask_ahead(low + 256 * g, 256);
        if (bits > 4) ask_ahead(high + more * g, more);
        unpack_group(bits, low + 256 * g, high + more * g, table, entries != NULL, q + 512 * g);
    }
}

INLINE void halves(const unsigned char *from, size_t groups, bool f16,
                   float (*out)[PANEL_ROWS]) {
    for (size_t i = 0; i < 2 * groups; i++) {
        __m128i half = _mm_loadu_si128((const __m128i *)(from + 16 * i));
        __m256 wide =
            f16 ? _mm256_cvtph_ps(half)
                : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
        _mm256_storeu_ps(out[0] + 8 * i, wide);
    }
}

INLINE void multiples(const unsigned char *from, size_t groups, float (*out)[PANEL_ROWS]) {
    const float *d = (const float *)(const void *)from;
    __m256 d0 = _mm256_loadu_ps(d), d1 = _mm256_loadu_ps(d + 8);
    for (size_t g = 0; g < groups; g++) {
        const unsigned char *times = from + 64 + 16 * g;
        __m256i t0 = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)times)),
                t1 = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(times + 8)));
        _mm256_storeu_ps(out[g], _mm256_mul_ps(d0, _mm256_cvtepi32_ps(t0)));
        _mm256_storeu_ps(out[g] + 8, _mm256_mul_ps(d1, _mm256_cvtepi32_ps(t1)));
    }
}

AVX2 static void scales(const QuantFormat *f, const unsigned char *from, size_t groups,
                        float (*out)[PANEL_ROWS]) {
    if (f->scales == SCALE_TIMES)
        multiples(from, groups, out);
    else
        halves(from, groups, f->scales == SCALE_F16, out);
}

AVX2 void panel_unpack_avx2(const QuantFormat *f, const unsigned char *piece, Panel *panel) {
    PieceLayout at = piece_layout(f);
    const unsigned char *low = piece + at.low, *high = piece + at.high;
    int8_t *q = panel->own[0][0];
    panel->q = (const int8_t(*)[PANEL_ROWS][4])(at.bits == 8 ? (const int8_t *)low : q);
    ask_ahead(piece, at.low);
    scales(f, piece, at.groups, panel->scale);
    if (f->min) scales(f, piece + at.min, at.groups, panel->min);
    if (f->entries)
        unpack_all(4, low, high, f->entries, q);
    else if (at.bits == 4)
        unpack_all(4, low, high, NULL, q);
    else if (at.bits == 5)
        unpack_all(5, low, high, NULL, q);
    else if (at.bits == 6)
        unpack_all(6, low, high, NULL, q);
    else
        ask_ahead(low, sizeof panel->own);
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
