/* dot_avx512bf16.c - BF16 weights times inputs, with the instruction made for it.  Read
 * dot_avx512.c first.
 *
 *     w        |k0 k1|k2 k3| ... |k30 k31|      as the weights lie in memory: nothing has to be widened
 *     x        |k0 k1|k2 k3| ... |k30 k31|      the inputs, rounded to BF16
 *     dpbf16   |  s0 |  s1 | ... |  s15  |      two products for each of sixteen sums: 32 where a multiply-add does 16
 *
 * The inputs keep 8 of their 24 bits, as many as the weights have; a BF16 number below 2^-126
 * counts as zero.  Every other set multiplies BF16 weights with the inputs as they are.
 *
 * Error    |got - exact| <= (2^-8 + gamma_n) * sum_k |w[k] * x[k]|, and with inputs that are BF16 already, dot.h's. */
#include "dot.h"
#include "../simd/ask.h"
#include "../simd/unroll.h"

#if defined(__x86_64__)
#include "avx512.h"

/* 32 inputs from x on, rounded, those under the mask. */
INLINE_OF(BF16) __m512bh rounded(const float *x, __mmask32 mask) {
    return _mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps((__mmask16)(mask >> 16), x + 16),
                               _mm512_maskz_loadu_ps((__mmask16)mask, x));
}

/* R rows by C columns: constants where it is used. */
INLINE_OF(BF16)
void tile(int R, int C, const char *w, size_t w_stride, const float *x, size_t x_stride,
          size_t n, float *y, size_t y_stride) {
    __m512 sum[6][4];
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++) sum[r][c] =
        _mm512_setzero_ps();
    for (size_t k = 0; k < n; k += 32) {
        __mmask32 mask = n - k < 32 ? (1u << (n - k)) - 1 : 0xFFFFFFFF;
        __m512bh in[4];
        UNROLL for (int c = 0; c < C; c++) in[c] = rounded(x + (size_t)c * x_stride + k, mask);
        UNROLL for (int r = 0; r < R; r++) {
            const char *at = w + (size_t)r * w_stride + 2 * k;
            if (C == 1) ask_for(at + (size_t)R * w_stride, 1);
            __m512bh weights = (__m512bh)_mm512_maskz_loadu_epi16(mask, at);
            UNROLL for (int c = 0; c < C; c++) sum[r][c] =
                _mm512_dpbf16_ps(sum[r][c], weights, in[c]);
        }
    }
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++)
        y[(size_t)c * y_stride + (size_t)r] = add_lanes(sum[r][c]);
}

#define STRIP(R)                                                                     \
    for (; rows >= R; rows -= R, w += R * w_stride, y += R) {                        \
        size_t c = 0;                                                                \
        for (; c + 4 <= cols; c += 4)                                                \
            tile(R, 4, w, w_stride, x + c * x_stride, x_stride, n, y + c * y_stride, \
                 y_stride);                                                          \
        for (; c < cols; c++)                                                        \
            tile(R, 1, w, w_stride, x + c * x_stride, x_stride, n, y + c * y_stride, \
                 y_stride);                                                          \
    }

BF16 void dot_tile_bf16_avx512bf16(const void *rows_of_w, size_t w_stride, size_t rows,
                                   const float *x, size_t x_stride, size_t cols, size_t n,
                                   float *y, size_t y_stride) {
    const char *w = rows_of_w;
    STRIP(6)
    STRIP(1)
}
#endif
