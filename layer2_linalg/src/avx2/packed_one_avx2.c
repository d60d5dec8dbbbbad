/* packed_one_avx2.c - packed weights times one column: what decoding does, token after token.  Read
 * quantized_avx2.c first.
 *
 *     packed piece --> registers --> products           nothing is written down in between
 *
 * Many columns share an unpacked panel; one column would read it back only once, and storing 4096
 * levels costs as much as multiplying them. */
#include "../kernel_types.h"

#if defined(__x86_64__)
#include "inputs_avx2.h"
#include "pairs_avx2.h"
#include "../simd/smaller.h"
#include "unpack_avx2.h"
#include "../simd/unroll.h"

/* sum += the products of 32 levels of 16 rows, `room` quads at a time in 16 bits.  Quads i and
 * 4 + i share their bytes: they are taken together, each half in a chain of its own; groups of 16
 * keep the halves apart to the end. */
INLINE void add_quads(Plan p, const unsigned char *block, __m256i entries, const int8_t *q,
                      __m256i sum[2][2]) {
    const int room = room_of(p);
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i part[2][2] = {{ones, ones}, {ones, ones}};
    UNROLL for (int i = 0; i < 4; i++) {
        const __m256i x[2] = {four(q + 4 * i), four(q + 16 + 4 * i)};
        UNROLL for (int r = 0; r < 2; r++) {
            const __m256i v = shared_by(p.bits, block + 32 * r, i);
            UNROLL for (int half = 0; half < 2; half++) {
                __m256i w = p.bits == 8 && half ? load(block + 32 * r + 64 * (4 + i))
                                                : quad_of(p.bits, v, block + 256 + 32 * r,
                                                          i + 4 * half, entries, p.look_up),
                        product = pairs(w, x[half], p.most == 0),
                        *total = &sum[p.group == 16 ? half : 0][r], *chain = &part[half][r];
                *chain = i % room ? _mm256_add_epi16(*chain, product) : product;
                IN_ORDER(*chain);
                if (room < 8 && (i % room == room - 1))
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(*chain, ones));
            }
        }
    }
    UNROLL for (int r = 0; r < 2; r++) if (room == 8) sum[0][r] = _mm256_add_epi32(
        sum[0][r], _mm256_madd_epi16(_mm256_add_epi16(part[0][r], part[1][r]), ones));
}

/* acc += a block of 32 weights of 16 rows: one of the piece's eight. */
INLINE void add_block(Plan p, const unsigned char *piece, size_t block, __m256i entries,
                      const int8_t *q, __m256 d, const int32_t *start, const float *total,
                      __m256 acc[2]) {
    const PieceLayout at = layout_of(p);
    const size_t groups = at.groups / 8;
    const unsigned char *from = piece + at.blocks + block * at.block;
    __m256i sum[2][2];
    ask_ahead(from, at.block);
    UNROLL for (size_t h = 0; h < groups; h++) sum[h][0] = sum[h][1] =
        _mm256_set1_epi32(start[groups * block + h]);
    add_quads(p, from, entries, q, sum);
    UNROLL for (size_t h = 0; h < groups; h++) UNROLL for (size_t r = 0; r < 2; r++) {
        size_t g = groups * block + h;
        __m256 scale = _mm256_mul_ps(scales_of(p.scales, piece, g, 8 * r), d);
        acc[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[h][r]), scale, acc[r]);
        if (p.min)
            acc[r] = _mm256_fmadd_ps(scales_of(p.scales, piece + at.min, g, 8 * r),
                                     _mm256_broadcast_ss(total + g), acc[r]);
    }
}

INLINE void multiply(Plan p, const QuantFormat *f, const unsigned char *piece, const Columns *x,
                     size_t column, float *y) {
    const PieceLayout at = layout_of(p);
    const __m256i entries = sixteen(p.look_up ? f->entries : NULL);
    __m256 acc[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    int32_t start[LEVELS_GROUPS];
    float total[LEVELS_GROUPS];
    for (size_t k = 0; k < x->k; k += LEVELS_CHUNK, piece += at.bytes) {
        const size_t first = columns_at(x, column, k),
                     blocks = smaller(x->k - k, LEVELS_CHUNK) / 32;
        const int8_t *q = x->q + first;
        const float *d = x->d + first / 32;
        ask_ahead(piece, at.blocks);
        prepare(x->sum + first / 16, d, f->offset, p.group, start, total);
        for (size_t block = 0; block < blocks; block++)
            add_block(p, piece, block, entries, q + 32 * block, _mm256_broadcast_ss(d + block),
                      start, total, acc);
    }
    _mm256_storeu_ps(y, acc[0]);
    _mm256_storeu_ps(y + 8, acc[1]);
}

#include "../simd/every_plan.h"

AVX2 void rows_product_avx2(const QuantFormat *f, const unsigned char *piece, const Columns *x,
                            size_t column, float *y) {
    MULTIPLY_AS_PLANNED
}
#endif
