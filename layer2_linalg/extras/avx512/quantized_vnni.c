/* quantized_vnni.c - products of a panel, sixteen rows in one register.  Read quantized_avx2.c
 * first.
 *
 *     vpdpbusd   adds the four products of a lane's bytes, unsigned times signed, to its 32-bit
 *                sum: AVX2's maddubs, madd and addition in one, without 16-bit overflow
 *
 * Its latency is four or five cycles and two start in each; the CPU also loads two registers in
 * a cycle.  Two panels by six inputs keep twelve sums in flight with eight loads for twelve
 * instructions; one panel by twelve inputs would need thirteen loads.
 *
 * Adding 128 makes signed quants unsigned; the sums start at -128 times the sum of the
 * inputs. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx2/inputs_avx2.h"
#include "vnni_template.h"
#include "avx512.h"

#undef INLINE
#define INLINE INLINE_OF(VNNI)

enum { COLS = 6 };

/* sum[p][c] += the products of quad `place`. */
INLINE void add_products(Shape s, const Panel *panels, int place, const int8_t *q,
                         __m512i sum[2][COLS]) {
    __m512i w[2];
    UNROLL for (int p = 0; p < s.panels; p++) {
        w[p] = _mm512_loadu_si512(panels[p].q[place]);
        if (s.is_signed) w[p] = _mm512_xor_si512(w[p], _mm512_set1_epi8((char)0x80));
    }
    UNROLL for (int c = 0; c < s.cols; c++) {
        __m512i in = broadcast4(q + PANEL_COLS * c + 4 * place);
        UNROLL for (int p = 0; p < s.panels; p++) {
            sum[p][c] = _mm512_dpbusd_epi32(sum[p][c], w[p], in);
        }
    }
}

/* acc[p][c] += group g, given its integer sums. */
INLINE void add_scaled(Shape s, const Panel *panels, InputTile x, const InputTerms *terms,
                       int g, __m512i sum[2][COLS], __m512 acc[2][COLS]) {
    UNROLL for (int c = 0; c < s.cols; c++) {
        __m512 d = _mm512_set1_ps(x.d[g * s.group / 32 + 8 * c]),
               inputs = _mm512_set1_ps(terms[c].total[g]);
        UNROLL for (int p = 0; p < s.panels; p++) {
            __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(panels[p].scale[g]), d);
            acc[p][c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[p][c]), scale, acc[p][c]);
            if (s.min)
                acc[p][c] =
                    _mm512_fmadd_ps(_mm512_loadu_ps(panels[p].min[g]), inputs, acc[p][c]);
        }
    }
}

/* Add the products of panel p and the tile's first inputs to y + p * next. */
INLINE void tile(Shape s, const Panel *panels, const QuantFormat *f, InputTile x,
                 float (*y)[PANEL_ROWS], size_t next) {
    const int offset = s.is_signed ? f->offset + 128 : f->offset;
    InputTerms terms[COLS];
    __m512 acc[2][COLS];
    UNROLL for (int c = 0; c < s.cols; c++) {
        input_terms(input_tile_after(x, (size_t)c), offset, s.group, &terms[c]);
        UNROLL for (int p = 0; p < s.panels; p++) {
            acc[p][c] = _mm512_loadu_ps(y[(size_t)p * next + (size_t)c]);
        }
    }
    for (int g = 0; g < (int)x.n / s.group; g++) {
        __m512i sum[2][COLS];
        UNROLL for (int c = 0; c < s.cols; c++) {
            sum[0][c] = sum[1][c] = _mm512_set1_epi32(terms[c].start[g]);
        }
        UNROLL for (int quad = 0; quad < s.group / 4; quad++) {
            add_products(s, panels, g * s.group / 4 + quad, x.q, sum);
        }
        add_scaled(s, panels, x, terms, g, sum, acc);
    }
    UNROLL for (int c = 0; c < s.cols; c++) UNROLL for (int p = 0; p < s.panels; p++) {
        _mm512_storeu_ps(y[(size_t)p * next + (size_t)c], acc[p][c]);
    }
}

/* s.panels panels times all inputs. */
INLINE void panels_product(Shape s, const Panel *panels, const QuantFormat *f, InputTile x,
                           float (*y)[PANEL_ROWS]) {
    const size_t next = x.count;
    for (s.cols = 6; s.panels == 2 && x.count >= 6; x = input_tile_after(x, 6), y += 6)
        tile(s, panels, f, x, y, next);
    for (s.cols = 4; s.panels == 2 && x.count >= 4; x = input_tile_after(x, 4), y += 4)
        tile(s, panels, f, x, y, next);
    for (s.cols = 1; x.count; x = input_tile_after(x, 1), y += 1)
        tile(s, panels, f, x, y, next);
}

INLINE void product(Shape s, const Panel *panels, size_t count, const QuantFormat *f,
                    InputTile x, float (*y)[PANEL_ROWS]) {
    for (s.panels = 2; count >= 2; count -= 2, panels += 2, y += 2 * x.count)
        panels_product(s, panels, f, x, y);
    s.panels = 1;
    if (count) panels_product(s, panels, f, x, y);
}

VNNI_PRODUCTS(VNNI, panel_product_vnni)
#endif
