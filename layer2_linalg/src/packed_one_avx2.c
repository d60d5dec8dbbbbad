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

/* How a piece is read and multiplied: constants, wherever this is used. */
typedef struct Plan {
    int bits, group, room;
    bool look_up;
} Plan;

/* sum[r] += the products of some quads of a group of 32, `room` of them at a time in 16 bits. */
INLINE void add_quads(Plan p, const unsigned char *low, const unsigned char *high,
                      __m256i entries, const int8_t *q, int first, __m256i sum[2]) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i part[2] = {ones, ones};
    UNROLL for (int i = 0; i < p.group / 4; i++) {
        const __m256i x = four(q + 4 * (first + i));
        UNROLL for (int r = 0; r < 2; r++) {
            __m256i w = quad_of(p.bits, low + 32 * r, high + 32 * r, first + i, entries,
                                p.look_up),
                    product = pairs(w, x, p.room == 1);
            part[r] = i % p.room ? _mm256_add_epi16(part[r], product) : product;
            IN_ORDER(part[r]);
            if (i % p.room == p.room - 1 || i == p.group / 4 - 1)
                sum[r] = _mm256_add_epi32(sum[r], _mm256_madd_epi16(part[r], ones));
        }
    }
}

/* acc[r] += factor * scale * d, the scales (or mins) of group g. */
INLINE void add_scaled(ScaleKind kind, const unsigned char *from, size_t g, __m256 d,
                       const __m256 factor[2], __m256 acc[2]) {
    UNROLL for (size_t r = 0; r < 2; r++) acc[r] =
        _mm256_fmadd_ps(factor[r], _mm256_mul_ps(scales_of(kind, from, g, 8 * r), d), acc[r]);
}

INLINE void multiply(Plan p, const QuantFormat *f, const unsigned char *piece, size_t n,
                     const int8_t *q, const float *d, const int16_t *sums, float *y) {
    const PieceLayout at = piece_layout(f);
    const unsigned char *low = piece + at.low, *high = piece + at.high;
    const size_t wide = p.bits == 8 ? 512 : 256, more = p.bits == 6 ? 128 : 64;
    const __m256i entries = sixteen(p.look_up ? f->entries : NULL);
    __m256 acc[2] = {_mm256_loadu_ps(y), _mm256_loadu_ps(y + 8)};
    ask_ahead(piece, at.low);
    for (size_t block = 0, g = 0; block < n / 32; block++, low += wide, high += more, q += 32) {
        const __m256 d32 = _mm256_broadcast_ss(d + block);
        ask_ahead(low, wide);
        if (p.bits == 5 || p.bits == 6) ask_ahead(high, more);
        UNROLL for (int first = 0; first < 8; first += p.group / 4, g++) {
            const int16_t *two = sums + 2 * block + first / 4;
            int inputs = p.group == 16 ? two[0] : two[0] + two[1];
            __m256i start = _mm256_set1_epi32(-f->offset * inputs), sum[2] = {start, start};
            add_quads(p, low, high, entries, q, first, sum);
            add_scaled(f->scales, piece, g, d32,
                       (__m256[]){_mm256_cvtepi32_ps(sum[0]), _mm256_cvtepi32_ps(sum[1])}, acc);
            if (!f->min) continue;
            __m256 total = _mm256_set1_ps((float)inputs);
            add_scaled(f->scales, piece + at.min, g, d32, (__m256[]){total, total}, acc);
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

AVX2 void piece_product_avx2(const QuantFormat *f, const unsigned char *piece, size_t n,
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
