/* quantized_vnni.c - products of a panel, sixteen rows in one register.  Read quantized_avx2.c first.
 *
 *     vpdpbusd   adds the four products of a lane's bytes, unsigned times signed, to its 32-bit
 *                sum: what takes maddubs, madd and an addition with AVX2, and no 16-bit sum to overflow
 *
 * The instruction takes four cycles and two begin in each: a tile of twelve columns keeps twelve sums under way.
 *
 * Signed levels are made unsigned by adding 128; 128 times the sum of the inputs is taken off at the
 * start, exactly. */
#include "panel.h"
#include "unroll.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VNNI   __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma")))
#define INLINE static inline __attribute__((always_inline)) VNNI

/* sum += w times the four inputs at q, in every lane.  The instruction repeats them itself; a compiler that does not know
 * it would load them into a register first, and loading costs as much as multiplying. */
INLINE __m512i add_products(__m512i sum, __m512i w, const int8_t *q) {
    __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(w), "m"(*(const int8_t(*)[4])q));
    return sum;
}

/* The sum of a group's inputs. */
INLINE int inputs_of(const int16_t *sums, int g, int group) {
    const int16_t *halves = sums + g * group / 16;
    return group == 16 ? halves[0] : halves[0] + halves[1];
}

INLINE void tile(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q,
                 const float *d, const int16_t *sums, float (*y)[PANEL_ROWS], int C,
                 int group) {
    int offset = f->span ? f->offset : f->offset + 128;
    __m512i flip = _mm512_set1_epi8(f->span ? 0 : (char)0x80);
    __m512 acc[12];
    UNROLL for (int c = 0; c < C; c++) acc[c] = _mm512_loadu_ps(y[c]);
    for (int g = 0; g < (int)n / group; g++) {
        __m512i sum[12];
        UNROLL for (int c = 0; c < C; c++) sum[c] =
            _mm512_set1_epi32(-offset * inputs_of(sums + 16 * c, g, group));
        UNROLL for (int quad = 0; quad < group / 4; quad++) {
            int place = g * group / 4 + quad;
            __m512i w = _mm512_xor_si512(_mm512_loadu_si512(panel->q[place]), flip);
            UNROLL for (int c = 0; c < C; c++) sum[c] =
                add_products(sum[c], w, q + LEVELS_CHUNK * c + 4 * place);
        }
        UNROLL for (int c = 0; c < C; c++) {
            __m512 scale = _mm512_set1_ps(d[g * group / 32 + 8 * c]);
            acc[c] =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[c]),
                                _mm512_mul_ps(_mm512_loadu_ps(panel->scale[g]), scale), acc[c]);
            if (f->min)
                acc[c] = _mm512_fmadd_ps(
                    _mm512_set1_ps((float)inputs_of(sums + 16 * c, g, group)),
                    _mm512_mul_ps(_mm512_loadu_ps(panel->min[g]), scale), acc[c]);
        }
    }
    UNROLL for (int c = 0; c < C; c++) _mm512_storeu_ps(y[c], acc[c]);
}

#define STEP(C, group)                                                        \
    do {                                                                      \
        tile(panel, f, n, q, d, sums, y, C, group);                           \
        cols -= C, q += C * LEVELS_CHUNK, d += C * 8, sums += C * 16, y += C; \
    } while (0)

#define PRODUCT(name, group)                                                                   \
    VNNI static void name(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q, \
                          const float *d, const int16_t *sums, size_t cols,                    \
                          float(*y)[PANEL_ROWS]) {                                             \
        while (cols >= 12) STEP(12, group);                                                    \
        while (cols >= 6) STEP(6, group);                                                      \
        while (cols >= 2) STEP(2, group);                                                      \
        while (cols) STEP(1, group);                                                           \
    }

PRODUCT(product_32, 32)
PRODUCT(product_16, 16)

void panel_product_vnni(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q,
                        const float *d, const int16_t *sums, size_t cols,
                        float (*y)[PANEL_ROWS]) {
    PanelProduct *run = f->group == 32 ? product_32 : product_16;
    run(panel, f, n, q, d, sums, cols, y);
}
#endif
