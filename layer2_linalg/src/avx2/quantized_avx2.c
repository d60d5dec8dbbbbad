/* quantized_avx2.c - products of a panel, sixteen rows as two registers of eight.  Read panel.c
 * first.
 *
 *     w       |row0 k0 k1 k2 k3|row1 k0 k1 k2 k3| ...       32 bytes
 *     x       |     k0 k1 k2 k3|     k0 k1 k2 k3| ...       the same four inputs in every lane
 *     maddubs |  k0+k1 |  k2+k3|  k0+k1 |  k2+k3| ...  unsigned times signed, pairs in 16 bits
 *     madd    |      row0      |      row1      | ...  pairs of these: a 32-bit sum per row
 *
 * A 16-bit sum holds up to 32767: with quants up to 15 all 8 quads of a block (8 * 2 * 15 * 127
 * = 30480), up to 31 4 quads, up to 63 2; one madd serves them.  With signed bytes it holds one
 * quad, as |w| times x with the sign of w (for many inputs: quantized_s8_avx2.c). */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "inputs_avx2.h"
#include "maddubs_avx2.h"

enum { COLS = 4 }; /* inputs at a time: 2 x 4 sums, and as many 16-bit ones */

/* The constants that a loop is compiled for. */
typedef struct Shape {
    int cols;            /* inputs */
    int group;           /* weights that share a scale */
    int quads;           /* per 16-bit sum */
    bool is_signed, min; /* of the quants; has a min */
} Shape;

/* part[i][c] = s.quads quads of the rows 8 i .. 8 i + 7 with input c. */
INLINE void dot_quads(Shape s, const PanelQuad *w, const int8_t *q, __m256i part[2][COLS]) {
    UNROLL for (int j = 0; j < s.quads; j++) {
        __m256i w0 = load(w[j][0]), w1 = load(w[j][8]);
        UNROLL for (int c = 0; c < s.cols; c++) {
            __m256i x = broadcast4(q + PANEL_COLS * c + 4 * j),
                    p0 = dot_pairs_u8s8(w0, x, s.is_signed),
                    p1 = dot_pairs_u8s8(w1, x, s.is_signed);
            part[0][c] = j ? _mm256_add_epi16(part[0][c], p0) : p0;
            part[1][c] = j ? _mm256_add_epi16(part[1][c], p1) : p1;
            KEEP_IN_REGISTER(part[0][c]);
            KEEP_IN_REGISTER(part[1][c]);
        }
    }
}

/* sum[i][c] += a group. */
INLINE void add_group(Shape s, const PanelQuad *w, const int8_t *q, __m256i sum[2][COLS]) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (int at = 0; at < s.group / 4; at += s.quads, w += s.quads, q += 4 * s.quads) {
        __m256i part[2][COLS];
        dot_quads(s, w, q, part);
        UNROLL for (int c = 0; c < s.cols; c++) UNROLL for (int i = 0; i < 2; i++) {
            sum[i][c] = _mm256_add_epi32(sum[i][c], _mm256_madd_epi16(part[i][c], ones));
        }
    }
}

/* acc[i][c] += group g, given its integer sums. */
INLINE void add_scaled(Shape s, const Panel *panel, InputTile x, const InputTerms *terms,
                       size_t g, __m256i sum[2][COLS], __m256 acc[2][COLS]) {
    UNROLL for (int c = 0; c < s.cols; c++) {
        __m256 d = _mm256_broadcast_ss(x.d + g * (size_t)s.group / 32 + 8 * c),
               inputs = _mm256_broadcast_ss(terms[c].total + g);
        UNROLL for (int i = 0; i < 2; i++) {
            acc[i][c] = _mm256_fmadd_ps(
                _mm256_cvtepi32_ps(sum[i][c]),
                _mm256_mul_ps(_mm256_loadu_ps(panel->scale[g] + 8 * i), d), acc[i][c]);
        }
        if (!s.min) continue;
        UNROLL for (int i = 0; i < 2; i++) {
            acc[i][c] =
                _mm256_fmadd_ps(_mm256_loadu_ps(panel->min[g] + 8 * i), inputs, acc[i][c]);
        }
    }
}

/* y[c] += a panel times s.cols inputs. */
INLINE void tile(Shape s, const Panel *panel, const QuantFormat *f, InputTile x,
                 float (*y)[PANEL_ROWS]) {
    InputTerms terms[COLS];
    __m256 acc[2][COLS];
    UNROLL for (int c = 0; c < s.cols; c++) {
        input_terms(input_tile_after(x, (size_t)c), f->offset, s.group, &terms[c]);
        UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_loadu_ps(y[c] + 8 * i);
    }
    for (size_t g = 0; g < x.n / (size_t)s.group; g++) {
        __m256i sum[2][COLS];
        UNROLL for (int c = 0; c < s.cols; c++) {
            sum[0][c] = sum[1][c] = _mm256_set1_epi32(terms[c].start[g]);
        }
        add_group(s, panel->q + g * (size_t)s.group / 4, x.q + g * (size_t)s.group, sum);
        add_scaled(s, panel, x, terms, g, sum, acc);
    }
    UNROLL for (int c = 0; c < s.cols; c++) UNROLL for (int i = 0; i < 2; i++) {
        _mm256_storeu_ps(y[c] + 8 * i, acc[i][c]);
    }
}

/* All inputs, four at a time. */
INLINE void product(Shape s, const Panel *panel, const QuantFormat *f, InputTile x,
                    float (*y)[PANEL_ROWS]) {
    for (s.cols = 4; x.count >= 4; x = input_tile_after(x, 4), y += 4) tile(s, panel, f, x, y);
    for (s.cols = 2; x.count >= 2; x = input_tile_after(x, 2), y += 2) tile(s, panel, f, x, y);
    s.cols = 1;
    if (x.count) tile(s, panel, f, x, y);
}

typedef void OnePanel(const Panel *panel, const QuantFormat *f, const InputTile *x,
                      float (*y)[PANEL_ROWS]);

#define PRODUCT(name, ...)                                                              \
    AVX2 static void name(const Panel *panel, const QuantFormat *f, const InputTile *x, \
                          float(*y)[PANEL_ROWS]) {                                      \
        product((Shape){__VA_ARGS__}, panel, f, *x, y);                                 \
    }

PRODUCT(product_32_8, .group = 32, .quads = 8)
PRODUCT(product_32_8_min, .group = 32, .quads = 8, .min = true)
PRODUCT(product_32_4, .group = 32, .quads = 4)
PRODUCT(product_32_4_min, .group = 32, .quads = 4, .min = true)
PRODUCT(product_32_1, .group = 32, .quads = 1)
PRODUCT(product_32_signed, .group = 32, .quads = 1, .is_signed = true)
PRODUCT(product_16_4, .group = 16, .quads = 4)
PRODUCT(product_16_4_min, .group = 16, .quads = 4, .min = true)
PRODUCT(product_16_2, .group = 16, .quads = 2)
PRODUCT(product_16_1, .group = 16, .quads = 1)

/* Formats with signed quants, or quants above 31, have no min; signed quants have groups of
 * 32. */
static OnePanel *product_for(const QuantFormat *f) {
    int quads = quads_per_i16(packed_layout(f));
    if (f->span == 0) return product_32_signed;
    if (f->group == 32)
        return quads == 8   ? (f->min ? product_32_8_min : product_32_8)
               : quads == 4 ? (f->min ? product_32_4_min : product_32_4)
                            : product_32_1;
    return quads == 4   ? (f->min ? product_16_4_min : product_16_4)
           : quads == 2 ? product_16_2
                        : product_16_1;
}

void panel_product_avx2(const Panel *panels, size_t count, const QuantFormat *f,
                        const InputTile *x, float (*y)[PANEL_ROWS]) {
    OnePanel *one_panel = product_for(f);
    size_t done = f->span == 0 ? panel_product_s8_avx2(panels, count, x, y) : 0;
    const InputTile left = input_tile_after(*x, done);
    for (size_t p = 0; p < count; p++) one_panel(panels + p, f, &left, y + p * x->count + done);
}
#endif
