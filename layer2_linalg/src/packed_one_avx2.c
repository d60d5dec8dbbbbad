/* packed_one_avx2.c - packed weights times one column: what decoding does, token after token.  Read quantized_avx2.c
 * first.
 *
 *     packed piece --> registers --> products           nothing is written down in between
 *
 * Many columns share an unpacked panel; one column would read it back only once, and storing 4096 levels costs as much
 * as multiplying them. */
#include "packed.h"

#if defined(__x86_64__)
#include "pairs_avx2.h"
#include "unpack_avx2.h"
#include "unroll.h"

/* How pieces are read and multiplied: constants, wherever this is used. */
typedef struct Plan {
    int bits, group, room;
    bool look_up;
} Plan;

/* sum += the products of 32 levels of 16 rows, `room` quads at a time in 16 bits.  Quads i and 4 + i share their bytes: they are
 * taken together, each half in a chain of its own; groups of 16 keep the halves apart to the end. */
INLINE void add_quads(Plan p, const unsigned char *low, const unsigned char *high,
                      __m256i entries, const int8_t *q, __m256i sum[2][2]) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i part[2][2] = {{ones, ones}, {ones, ones}};
    UNROLL for (int i = 0; i < 4; i++) {
        const __m256i x[2] = {four(q + 4 * i), four(q + 16 + 4 * i)};
        UNROLL for (int r = 0; r < 2; r++) {
            const __m256i v = shared_by(p.bits, low + 32 * r, i);
            UNROLL for (int half = 0; half < 2; half++) {
                __m256i w = p.bits == 8 && half ? load(low + 32 * r + 64 * (4 + i))
                                                : quad_of(p.bits, v, high + 32 * r,
                                                          i + 4 * half, entries, p.look_up),
                        product = pairs(w, x[half], p.room == 1),
                        *total = &sum[p.group == 16 ? half : 0][r], *chain = &part[half][r];
                *chain = i % p.room ? _mm256_add_epi16(*chain, product) : product;
                IN_ORDER(*chain);
                if (p.room < 8 && (i % p.room == p.room - 1))
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(*chain, ones));
            }
        }
    }
    UNROLL for (int r = 0; r < 2; r++) if (p.room == 8) sum[0][r] = _mm256_add_epi32(
        sum[0][r], _mm256_madd_epi16(_mm256_add_epi16(part[0][r], part[1][r]), ones));
}

/* acc[r] += factor * scale * d, the scales of group g. */
INLINE void add_scaled(ScaleKind kind, const unsigned char *from, size_t g, __m256 d,
                       const __m256 factor[2], __m256 acc[2]) {
    UNROLL for (size_t r = 0; r < 2; r++) acc[r] =
        _mm256_fmadd_ps(factor[r], _mm256_mul_ps(scales_of(kind, from, g, 8 * r), d), acc[r]);
}

/* acc += a block of 32 weights of 16 rows; g is its first group. */
INLINE void add_block(Plan p, const QuantFormat *f, const unsigned char *scales,
                      const unsigned char *mins, size_t g, const unsigned char *low,
                      const unsigned char *high, __m256i entries, const int8_t *q, __m256 d,
                      const int16_t *sums, __m256 acc[2]) {
    const int halves = p.group == 16 ? 2 : 1,
              inputs[2] = {p.group == 16 ? sums[0] : sums[0] + sums[1], sums[1]};
    __m256i sum[2][2];
    UNROLL for (int h = 0; h < halves; h++) sum[h][0] = sum[h][1] =
        _mm256_set1_epi32(-f->offset * inputs[h]);
    add_quads(p, low, high, entries, q, sum);
    UNROLL for (int h = 0; h < halves; h++) {
        add_scaled(f->scales, scales, g + (size_t)h, d,
                   (__m256[]){_mm256_cvtepi32_ps(sum[h][0]), _mm256_cvtepi32_ps(sum[h][1])},
                   acc);
        if (!f->min) continue;
        __m256 total = _mm256_mul_ps(_mm256_set1_ps((float)inputs[h]), d);
        UNROLL for (size_t r = 0; r < 2; r++) acc[r] =
            _mm256_fmadd_ps(scales_of(f->scales, mins, g + (size_t)h, 8 * r), total, acc[r]);
    }
}

INLINE void multiply(Plan p, const QuantFormat *f, const unsigned char *piece, size_t n,
                     const int8_t *q, const float *d, const int16_t *sums, float *y) {
    const PieceLayout at = piece_layout(f);
    const size_t wide = p.bits == 8 ? 512 : 256, more = p.bits == 6 ? 128 : 64,
                 groups = p.group == 16 ? 2 : 1;
    const __m256i entries = sixteen(p.look_up ? f->entries : NULL);
    __m256 acc[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (size_t block = 0; block < n / 32; piece += at.bytes) {
        const unsigned char *low = piece + at.low, *high = piece + at.high;
        ask_ahead(piece, at.low);
        for (size_t g = 0; g < at.groups && block < n / 32; g += groups, block++) {
            ask_ahead(low, wide);
            if (p.bits == 5 || p.bits == 6) ask_ahead(high, more);
            add_block(p, f, piece, piece + at.min, g, low, high, entries, q,
                      _mm256_broadcast_ss(d + block), sums + 2 * block, acc);
            low += wide, high += more, q += 32;
        }
    }
    _mm256_storeu_ps(y, acc[0]);
    _mm256_storeu_ps(y + 8, acc[1]);
}

/* One version for each way of storing levels. */
#define VERSION(bits, group, room, look_up)                                       \
    do {                                                                          \
        multiply((Plan){bits, group, room, look_up}, f, piece, n, q, d, sums, y); \
        return;                                                                   \
    } while (0)

AVX2 void rows_product_avx2(const QuantFormat *f, const unsigned char *piece, size_t n,
                            const int8_t *q, const float *d, const int16_t *sums, float *y) {
    int bits = piece_layout(f).bits;
    if (f->entries) VERSION(4, 32, 1, true);
    if (bits == 4 && f->group == 32) VERSION(4, 32, 8, false);
    if (bits == 4) VERSION(4, 16, 4, false);
    if (bits == 5 && f->group == 32) VERSION(5, 32, 4, false);
    if (bits == 5) VERSION(5, 16, 4, false);
    if (bits == 6) VERSION(6, 16, 2, false);
    if (f->group == 32) VERSION(8, 32, 1, false);
    VERSION(8, 16, 1, false);
}
#endif
