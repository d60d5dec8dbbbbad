/* quantized_vnni.c - products of a panel, sixteen rows in one register.  Read quantized_avx2.c first.
 *
 *     vpdpbusd   adds the four products of a lane's bytes, unsigned times signed, to its 32-bit
 *                sum: what takes maddubs, madd and an addition with AVX2, and no 16-bit sum to overflow
 *
 * The instruction takes four or five cycles and two begin in each; the CPU also loads two registers in a cycle.  Two
 * panels by six columns keep twelve sums under way with eight loads for twelve instructions; one panel by twelve columns
 * would need thirteen.
 *
 * Signed levels are made unsigned by adding 128; 128 times the sum of the inputs is taken off at the
 * start, exactly. */
#include "panel.h"
#include "unroll.h"

#if defined(__x86_64__)
#include "avx512.h"
#include "inputs_avx2.h"

#include <stdbool.h>

/* What the loops below are written for: constants, wherever this is used. */
typedef struct Plan {
    int panels, cols, group;
    bool is_signed;
} Plan;

enum { COLS = 6 };

/* sum[p][c] += the products of quad `place`. */
INLINE_OF(VNNI)
void add_products(Plan plan, const Panel *panels, int place, const int8_t *q,
                  __m512i sum[2][COLS]) {
    __m512i w[2];
    UNROLL for (int p = 0; p < plan.panels; p++) {
        w[p] = _mm512_loadu_si512(panels[p].q[place]);
        if (plan.is_signed) w[p] = _mm512_xor_si512(w[p], _mm512_set1_epi8((char)0x80));
    }
    UNROLL for (int c = 0; c < plan.cols; c++) {
        __m512i in = four(q + LEVELS_CHUNK * c + 4 * place);
        UNROLL for (int p = 0; p < plan.panels; p++) sum[p][c] =
            _mm512_dpbusd_epi32(sum[p][c], w[p], in);
    }
}

/* The columns of panel p lie at y + p * next. */
INLINE_OF(VNNI)
void tile(Plan plan, const Panel *panels, const QuantFormat *f, size_t n, const int8_t *q,
          const float *d, const int16_t *sums, float (*y)[PANEL_ROWS], size_t next) {
    const int offset = plan.is_signed ? f->offset + 128 : f->offset;
    int32_t start[COLS][LEVELS_GROUPS];
    float total[COLS][LEVELS_GROUPS];
    __m512 acc[2][COLS];
    UNROLL for (int c = 0; c < plan.cols; c++) {
        prepare(sums + 16 * c, d + 8 * c, offset, plan.group, start[c], total[c]);
        UNROLL for (int p = 0; p < plan.panels; p++) acc[p][c] =
            _mm512_loadu_ps(y[(size_t)p * next + (size_t)c]);
    }
    for (int g = 0; g < (int)n / plan.group; g++) {
        __m512i sum[2][COLS];
        UNROLL for (int c = 0; c < plan.cols; c++) sum[0][c] = sum[1][c] =
            _mm512_set1_epi32(start[c][g]);
        UNROLL for (int quad = 0; quad < plan.group / 4; quad++)
            add_products(plan, panels, g * plan.group / 4 + quad, q, sum);
        UNROLL for (int c = 0; c < plan.cols; c++) {
            __m512 scale = _mm512_set1_ps(d[g * plan.group / 32 + 8 * c]),
                   inputs = _mm512_set1_ps(total[c][g]);
            UNROLL for (int p = 0; p < plan.panels; p++) {
                __m512 both = _mm512_mul_ps(_mm512_loadu_ps(panels[p].scale[g]), scale);
                acc[p][c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[p][c]), both, acc[p][c]);
                if (f->min)
                    acc[p][c] =
                        _mm512_fmadd_ps(_mm512_loadu_ps(panels[p].min[g]), inputs, acc[p][c]);
            }
        }
    }
    UNROLL for (int c = 0; c < plan.cols; c++) UNROLL for (int p = 0; p < plan.panels; p++)
        _mm512_storeu_ps(y[(size_t)p * next + (size_t)c], acc[p][c]);
}

#define TILE(panels_of, C)                                                                     \
    tile((Plan){panels_of, C, plan.group, plan.is_signed}, panels, f, n, q + c * LEVELS_CHUNK, \
         d + 8 * c, sums + 16 * c, y + c, cols)

INLINE_OF(VNNI)
void product(Plan plan, const Panel *panels, size_t count, const QuantFormat *f, size_t n,
             const int8_t *q, const float *d, const int16_t *sums, size_t cols,
             float (*y)[PANEL_ROWS]) {
    for (; count >= 2; count -= 2, panels += 2, y += 2 * cols) {
        size_t c = 0;
        for (; c + 6 <= cols; c += 6) TILE(2, 6);
        for (; c + 2 <= cols; c += 2) TILE(2, 2);
        if (c < cols) TILE(2, 1);
    }
    for (size_t c = 0; count && c < cols; c++) TILE(1, 1);
}

VNNI void panel_product_vnni(const Panel *panels, size_t count, const QuantFormat *f, size_t n,
                             const int8_t *q, const float *d, const int16_t *sums, size_t cols,
                             float (*y)[PANEL_ROWS]) {
    if (f->group == 32 && f->span)
        product((Plan){.group = 32}, panels, count, f, n, q, d, sums, cols, y);
    else if (f->group == 32)
        product((Plan){.group = 32, .is_signed = true}, panels, count, f, n, q, d, sums, cols,
                y);
    else if (f->span)
        product((Plan){.group = 16}, panels, count, f, n, q, d, sums, cols, y);
    else
        product((Plan){.group = 16, .is_signed = true}, panels, count, f, n, q, d, sums, cols,
                y);
}
#endif
