/* quantized_vnni.c - products of a panel, sixteen rows in one register.  Read quantized_avx2.c
 * first.
 *
 *     vpdpbusd   adds the four products of a lane's bytes, unsigned times signed, to its 32-bit
 *                sum: what takes maddubs, madd and an addition with AVX2, and no 16-bit sum to overflow
 *
 * The instruction takes four or five cycles and two begin in each; the CPU also loads two registers
 * in a cycle.  Two panels by six columns keep twelve sums under way with eight loads for twelve
 * instructions; one panel by twelve columns would need thirteen.
 *
 * Signed levels are made unsigned by adding 128; 128 times the sum of the inputs is taken off at
 * the start, exactly. */
#include "../kernel_types.h"
#include "../simd/unroll.h"
#include "../simd/vnni.h"

#if defined(__x86_64__)
#include "avx512.h"
#include "../avx2/inputs_avx2.h"

enum { COLS = 6 };

/* sum[p][c] += the products of quad `place`. */
INLINE_OF(VNNI)
void add_products(Shape s, const Panel *panels, int place, const int8_t *q,
                  __m512i sum[2][COLS]) {
    __m512i w[2];
    UNROLL for (int p = 0; p < s.panels; p++) {
        w[p] = _mm512_loadu_si512(panels[p].q[place]);
        if (s.is_signed) w[p] = _mm512_xor_si512(w[p], _mm512_set1_epi8((char)0x80));
    }
    UNROLL for (int c = 0; c < s.cols; c++) {
        __m512i in = four(q + LEVELS_CHUNK * c + 4 * place);
        UNROLL for (int p = 0; p < s.panels; p++) sum[p][c] =
            _mm512_dpbusd_epi32(sum[p][c], w[p], in);
    }
}

/* The columns of panel p lie at y + p * next. */
INLINE_OF(VNNI)
void tile(Shape s, const Panel *panels, const QuantFormat *f, size_t n, const int8_t *q,
          const float *d, const int16_t *sums, float (*y)[PANEL_ROWS], size_t next) {
    const int offset = s.is_signed ? f->offset + 128 : f->offset;
    int32_t start[COLS][LEVELS_GROUPS];
    float total[COLS][LEVELS_GROUPS];
    __m512 acc[2][COLS];
    UNROLL for (int c = 0; c < s.cols; c++) {
        prepare(sums + 16 * c, d + 8 * c, offset, s.group, start[c], total[c]);
        UNROLL for (int p = 0; p < s.panels; p++) acc[p][c] =
            _mm512_loadu_ps(y[(size_t)p * next + (size_t)c]);
    }
    for (int g = 0; g < (int)n / s.group; g++) {
        __m512i sum[2][COLS];
        UNROLL for (int c = 0; c < s.cols; c++) sum[0][c] = sum[1][c] =
            _mm512_set1_epi32(start[c][g]);
        UNROLL for (int quad = 0; quad < s.group / 4; quad++)
            add_products(s, panels, g * s.group / 4 + quad, q, sum);
        UNROLL for (int c = 0; c < s.cols; c++) {
            __m512 scale = _mm512_set1_ps(d[g * s.group / 32 + 8 * c]),
                   inputs = _mm512_set1_ps(total[c][g]);
            UNROLL for (int p = 0; p < s.panels; p++) {
                __m512 both = _mm512_mul_ps(_mm512_loadu_ps(panels[p].scale[g]), scale);
                acc[p][c] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[p][c]), both, acc[p][c]);
                if (s.min)
                    acc[p][c] =
                        _mm512_fmadd_ps(_mm512_loadu_ps(panels[p].min[g]), inputs, acc[p][c]);
            }
        }
    }
    UNROLL for (int c = 0; c < s.cols; c++) UNROLL for (int p = 0; p < s.panels; p++)
        _mm512_storeu_ps(y[(size_t)p * next + (size_t)c], acc[p][c]);
}

#define TILE(PANELS, COLS)                                                 \
    for (; c + COLS <= cols; c += COLS)                                    \
    tile((Shape){PANELS, COLS, s.group, s.is_signed, s.min}, panels, f, n, \
         q + c * LEVELS_CHUNK, d + 8 * c, sums + 16 * c, y + c, cols)

INLINE_OF(VNNI)
void product(Shape s, const Panel *panels, size_t count, const QuantFormat *f, size_t n,
             const int8_t *q, const float *d, const int16_t *sums, size_t cols,
             float (*y)[PANEL_ROWS]) {
    size_t c = 0;
    for (; count >= 2; count -= 2, panels += 2, y += 2 * cols, c = 0) {
        TILE(2, 6);
        TILE(2, 4);
        TILE(2, 1);
    }
    if (count) TILE(1, 1);
}

VNNI_PRODUCTS(VNNI, vnni)
#endif
