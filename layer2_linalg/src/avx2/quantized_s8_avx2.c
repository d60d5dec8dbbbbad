/* quantized_s8_avx2.c - products of panels of signed quants with many inputs.  Read
 * quantized_avx2.c first.
 *
 *     bytes      |k0 k1 k2 k3|      a lane: four quants of a row
 *     widened    | k0  | k2  |      in one register,
 *                | k1  | k3  |      in another; inputs in the same way
 *     madd       |  k0 + k2  |      exact, in 32 bits
 *
 * Two products of signed bytes may fill 16 bits, so no more can be added there.  x with the
 * sign of w, maddubs and madd are three instructions for each register of inputs, which only
 * two of Zen's four pipes execute; with widened bytes it is two madds.  Widening costs once per
 * panel and once per four inputs, so it pays only for many inputs.
 *
 * Invariant: the sums are those of quantized_avx2.c. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "maddubs_avx2.h"

enum { COLS = 4, PANELS = 2, ENOUGH = 12 /* inputs */ };

/* Widen numbers 0 and 2 of each four, and numbers 1 and 3, to 16 bits. */
typedef struct Wide {
    int16_t q[2][PANEL_QUADS][PANEL_ROWS][2];
} Wide;
typedef struct WideInputs {
    int16_t q[2][PANEL_QUADS][2];
} WideInputs;

INLINE void widen(const int8_t *from, size_t count, int16_t *even, int16_t *odd) {
    for (size_t i = 0; i < count; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(from + i)),
                low = _mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8),
                high = _mm256_srai_epi16(v, 8);
        _mm256_storeu_si256((__m256i *)(even + i / 2), low);
        _mm256_storeu_si256((__m256i *)(odd + i / 2), high);
    }
}

/* sum[i][c] = the products of group g of 32. */
INLINE void multiply(const Wide *wide, const WideInputs *x, size_t g, __m256i sum[2][COLS]) {
    UNROLL for (size_t i = 0; i < 16; i++) {
        const size_t quad = 8 * g + i / 2;
        const int16_t(*w)[2] = wide->q[i % 2][quad];
        __m256i w0 = _mm256_loadu_si256((const __m256i *)w[0]),
                w1 = _mm256_loadu_si256((const __m256i *)w[8]);
        UNROLL for (int c = 0; c < COLS; c++) {
            __m256i in = broadcast4((const int8_t *)x[c].q[i % 2][quad]),
                    p0 = _mm256_madd_epi16(w0, in), p1 = _mm256_madd_epi16(w1, in);
            sum[0][c] = i ? _mm256_add_epi32(sum[0][c], p0) : p0;
            sum[1][c] = i ? _mm256_add_epi32(sum[1][c], p1) : p1;
            KEEP_IN_REGISTER(sum[0][c]);
            KEEP_IN_REGISTER(sum[1][c]);
        }
    }
}

INLINE void tile(const Panel *panel, const Wide *wide, const WideInputs *x, InputTile in,
                 float (*y)[PANEL_ROWS]) {
    __m256 acc[2][COLS];
    UNROLL for (int c = 0; c < COLS; c++) UNROLL for (int i = 0; i < 2; i++) {
        acc[i][c] = _mm256_loadu_ps(y[c] + 8 * i);
    }
    for (size_t g = 0; g < in.n / 32; g++) {
        __m256i sum[2][COLS];
        multiply(wide, x, g, sum);
        UNROLL for (int c = 0; c < COLS; c++) {
            __m256 scale = _mm256_broadcast_ss(in.d + g + 8 * c);
            UNROLL for (int i = 0; i < 2; i++) acc[i][c] = _mm256_fmadd_ps(
                _mm256_cvtepi32_ps(sum[i][c]),
                _mm256_mul_ps(_mm256_loadu_ps(panel->scale[g] + 8 * i), scale), acc[i][c]);
        }
    }
    UNROLL for (int c = 0; c < COLS; c++) UNROLL for (int i = 0; i < 2; i++) {
        _mm256_storeu_ps(y[c] + 8 * i, acc[i][c]);
    }
}

AVX2 size_t panel_product_s8_avx2(const Panel *panels, size_t count, const InputTile *in,
                                  float (*y)[PANEL_ROWS]) {
    Wide wide[PANELS];
    WideInputs x[COLS];
    size_t done = 0;
    REQUIRE(count <= PANELS, "%zu panels side by side", count);
    if (in->count < ENOUGH) return 0;
    for (size_t p = 0; p < count; p++)
        widen(panels[p].q[0][0], in->n * PANEL_ROWS, wide[p].q[0][0][0], wide[p].q[1][0][0]);
    for (; done + COLS <= in->count; done += COLS) {
        const InputTile some = input_tile_after(*in, done);
        for (size_t c = 0; c < COLS; c++)
            widen(some.q + c * PANEL_COLS, in->n, x[c].q[0][0], x[c].q[1][0]);
        for (size_t p = 0; p < count; p++)
            tile(panels + p, wide + p, x, some, y + p * in->count + done);
    }
    return done;
}
#endif
