/* packed_one_vnni.c - packed weights times one column, sixteen rows in one register.  Read packed_one_avx2.c and
 * quantized_vnni.c first. */
#include "packed.h"

#if defined(__x86_64__)
#include "unpack_avx512.h"
#include "unroll.h"

/* How pieces are read and multiplied: constants, wherever this is used. */
typedef struct Plan {
    int bits, group;
    bool look_up;
} Plan;

/* acc += a block of 32 weights of 16 rows; g is its first group.  Signed levels have 128 added: `offset` knows it. */
INLINE_OF(VNNI)
__m512 add_block(Plan p, const QuantFormat *f, const unsigned char *piece, size_t g,
                 const unsigned char *low, const unsigned char *high, __m512i entries,
                 const int8_t *q, float d, const int16_t *sums, __m512 acc) {
    const PieceLayout at = piece_layout(f);
    const bool is_signed = p.look_up || p.bits == 8;
    const int offset = is_signed ? f->offset + 128 : f->offset,
              inputs[2] = {p.group == 16 ? sums[0] : sums[0] + sums[1], sums[1]};
    const __m512 scale = _mm512_set1_ps(d);
    __m512i sum[2] = {_mm512_set1_epi32(-offset * inputs[0]),
                      p.group == 16 ? _mm512_set1_epi32(-offset * inputs[1])
                                    : _mm512_setzero_si512()};
    UNROLL for (int i = 0; i < 8; i++) {
        __m512i w = quad_of(p.bits, low, high, i, entries, p.look_up);
        if (p.bits == 8) w = _mm512_xor_si512(w, _mm512_set1_epi8((char)0x80));
        sum[i / 4] = _mm512_dpbusd_epi32(sum[i / 4], w, four(q + 4 * i));
    }
    if (p.group == 32) sum[0] = _mm512_add_epi32(sum[0], sum[1]);
    for (size_t h = 0; h < (p.group == 16 ? 2 : 1); h++) {
        acc = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[h]),
                              _mm512_mul_ps(scales_of(f->scales, piece, g + h), scale), acc);
        if (f->min)
            acc = _mm512_fmadd_ps(scales_of(f->scales, piece + at.min, g + h),
                                  _mm512_set1_ps((float)inputs[h] * d), acc);
    }
    return acc;
}

INLINE_OF(VNNI)
void multiply(Plan p, const QuantFormat *f, const unsigned char *piece, size_t n,
              const int8_t *q, const float *d, const int16_t *sums, float *y) {
    const PieceLayout at = piece_layout(f);
    const size_t wide = p.bits == 8 ? 512 : 256, more = p.bits == 6 ? 128 : 64,
                 groups = p.group == 16 ? 2 : 1;
    const __m512i flip = _mm512_set1_epi8((char)0x80),
                  entries = _mm512_xor_si512(sixteen(p.look_up ? f->entries : NULL), flip);
    __m512 acc = _mm512_setzero_ps();
    for (size_t block = 0; block < n / 32; piece += at.bytes) {
        const unsigned char *low = piece + at.low, *high = piece + at.high;
        ask_ahead(piece, at.low);
        for (size_t g = 0; g < at.groups && block < n / 32; g += groups, block++) {
            ask_ahead(low, wide);
            if (p.bits == 5 || p.bits == 6) ask_ahead(high, more);
            acc = add_block(p, f, piece, g, low, high, entries, q, d[block], sums + 2 * block,
                            acc);
            low += wide, high += more, q += 32;
        }
    }
    _mm512_storeu_ps(y, acc);
}

/* One version for each way of storing levels. */
#define VERSION(bits, group, look_up)                                       \
    do {                                                                    \
        multiply((Plan){bits, group, look_up}, f, piece, n, q, d, sums, y); \
        return;                                                             \
    } while (0)

VNNI void rows_product_vnni(const QuantFormat *f, const unsigned char *piece, size_t n,
                            const int8_t *q, const float *d, const int16_t *sums, float *y) {
    int bits = piece_layout(f).bits;
    if (f->entries) VERSION(4, 32, true);
    if (bits == 4 && f->group == 32) VERSION(4, 32, false);
    if (bits == 4) VERSION(4, 16, false);
    if (bits == 5 && f->group == 32) VERSION(5, 32, false);
    if (bits == 5) VERSION(5, 16, false);
    if (bits == 6) VERSION(6, 16, false);
    if (f->group == 32) VERSION(8, 32, false);
    VERSION(8, 16, false);
}
#endif
