/* packed_one_vnni.c - packed weights times one column, sixteen rows in one register.  Read
 * packed_one_avx2.c and quantized_vnni.c first. */
#include "../kernel_types.h"

#if defined(__x86_64__)
#include "../avx2/inputs_avx2.h"
#include "../simd/smaller.h"
#include "unpack_avx512.h"
#include "../simd/unroll.h"

/* acc += a block of 32 weights of 16 rows: one of the piece's eight. */
INLINE_OF(VNNI)
__m512 add_block(Plan p, const unsigned char *piece, size_t block, __m512i entries,
                 const int8_t *q, float d, const int32_t *start, const float *total,
                 __m512 acc) {
    const PieceLayout at = layout_of(p);
    const size_t groups = at.groups / 8;
    const unsigned char *from = piece + at.blocks + block * at.block;
    __m512i sum[2] = {_mm512_set1_epi32(start[groups * block]), _mm512_setzero_si512()};
    if (groups == 2) sum[1] = _mm512_set1_epi32(start[groups * block + 1]);
    ask_ahead(from, at.block);
    UNROLL for (int i = 0; i < 8; i++) {
        __m512i w = quad_of(p.bits, from, i, entries, p.look_up);
        if (p.bits == 8) w = _mm512_xor_si512(w, _mm512_set1_epi8((char)0x80));
        sum[i / 4] = _mm512_dpbusd_epi32(sum[i / 4], w, four(q + 4 * i));
    }
    if (groups == 1) sum[0] = _mm512_add_epi32(sum[0], sum[1]);
    UNROLL for (size_t h = 0; h < groups; h++) {
        size_t g = groups * block + h;
        __m512 scale = _mm512_mul_ps(scales_of(p.scales, piece, g), _mm512_set1_ps(d));
        acc = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[h]), scale, acc);
        if (p.min)
            acc = _mm512_fmadd_ps(scales_of(p.scales, piece + at.min, g),
                                  _mm512_set1_ps(total[g]), acc);
    }
    return acc;
}

/* Signed levels have 128 added, which is taken off with the offset. */
INLINE_OF(VNNI)
void multiply(Plan p, const QuantFormat *f, const unsigned char *piece, const Columns *x,
              size_t column, float *y) {
    const PieceLayout at = layout_of(p);
    const int more = p.most == 0 ? 128 : 0, offset = f->offset + more;
    const __m512i entries =
        _mm512_xor_si512(sixteen(p.look_up ? f->entries : NULL), _mm512_set1_epi8((char)more));
    __m512 acc = _mm512_setzero_ps();
    int32_t start[LEVELS_GROUPS];
    float total[LEVELS_GROUPS];
    for (size_t k = 0; k < x->k; k += LEVELS_CHUNK, piece += at.bytes) {
        const size_t first = columns_at(x, column, k),
                     blocks = smaller(x->k - k, LEVELS_CHUNK) / 32;
        const int8_t *q = x->q + first;
        const float *d = x->d + first / 32;
        ask_ahead(piece, at.blocks);
        prepare(x->sum + first / 16, d, offset, p.group, start, total);
        for (size_t block = 0; block < blocks; block++)
            acc = add_block(p, piece, block, entries, q + 32 * block, d[block], start, total,
                            acc);
    }
    _mm512_storeu_ps(y, acc);
}

#include "../simd/every_plan.h"

VNNI void rows_product_vnni(const QuantFormat *f, const unsigned char *piece, const Columns *x,
                            size_t column, float *y) {
    MULTIPLY_AS_PLANNED
}
#endif
