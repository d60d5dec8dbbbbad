/* dot_avx512.c - dot products, sixteen lanes at a time.  Read dot.c and dot_avx2.c first.
 *
 * The same loop with registers of sixteen lanes.  There are 32 registers instead of 16, so a
 * tile of 6 rows by 4 columns fits, and the tail is loaded under a mask instead of through a
 * padded copy. */
#include "dot.h"
#include "../simd/ask.h"
#include "../simd/unroll.h"

#if defined(__x86_64__)
#include "avx512.h"

/* Sixteen weights from index k on, as f32, those under the mask; one loader for each format. */
INLINE __m512 load_f32(const void *row, size_t k, __mmask16 mask) {
    return _mm512_maskz_loadu_ps(mask, (const float *)row + k);
}

INLINE __m512 load_f16(const void *row, size_t k, __mmask16 mask) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, (const uint16_t *)row + k));
}

INLINE __m512 load_bf16(const void *row, size_t k, __mmask16 mask) {
    __m256i half = _mm256_maskz_loadu_epi16(mask, (const uint16_t *)row + k);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

#define STEP(R, C, LOAD, size, mask)                                           \
    do {                                                                       \
        __m512 in[C];                                                          \
        UNROLL for (int c = 0; c < C; c++) in[c] =                             \
            load_f32(x + (size_t)c * x_stride, k, mask);                       \
        UNROLL for (int r = 0; r < R; r++) {                                   \
            if (C == 1) ask_for(w + (size_t)(r + R) * w_stride + k * size, 1); \
            __m512 weight = LOAD(w + (size_t)r * w_stride, k, mask);           \
            UNROLL for (int c = 0; c < C; c++) sum[r][c] =                     \
                _mm512_fmadd_ps(weight, in[c], sum[r][c]);                     \
        }                                                                      \
    } while (0)

#define TILE(R, C, LOAD, size)                                                            \
    do {                                                                                  \
        __m512 sum[R][C];                                                                 \
        UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++) sum[r][c] = \
            _mm512_setzero_ps();                                                          \
        size_t k = 0;                                                                     \
        for (; k + 16 <= n; k += 16) STEP(R, C, LOAD, size, (__mmask16)0xFFFF);           \
        if (k < n) STEP(R, C, LOAD, size, (__mmask16)((1u << (n - k)) - 1));              \
        UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++)             \
            y[(size_t)c * y_stride + (size_t)r] = add_lanes(sum[r][c]);                   \
    } while (0)

#define DOT_TILE(format, size)                                                                 \
    AVX512 static void strip6_##format(const char *w, size_t w_stride, const float *x,         \
                                       size_t x_stride, size_t cols, size_t n, float *y,       \
                                       size_t y_stride) {                                      \
        for (; cols >= 4; cols -= 4, x += 4 * x_stride, y += 4 * y_stride)                     \
            TILE(6, 4, load_##format, size);                                                   \
        for (; cols; cols--, x += x_stride, y += y_stride) TILE(6, 1, load_##format, size);    \
    }                                                                                          \
    AVX512 static void strip1_##format(const char *w, size_t w_stride, const float *x,         \
                                       size_t x_stride, size_t cols, size_t n, float *y,       \
                                       size_t y_stride) {                                      \
        for (; cols >= 4; cols -= 4, x += 4 * x_stride, y += 4 * y_stride)                     \
            TILE(1, 4, load_##format, size);                                                   \
        for (; cols; cols--, x += x_stride, y += y_stride) TILE(1, 1, load_##format, size);    \
    }                                                                                          \
    AVX512 void dot_tile_##format##_avx512(const void *rows_of_w, size_t w_stride,             \
                                           size_t rows, const float *x, size_t x_stride,       \
                                           size_t cols, size_t n, float *y, size_t y_stride) { \
        const char *w = rows_of_w;                                                             \
        for (; rows >= 6; rows -= 6, w += 6 * w_stride, y += 6)                                \
            strip6_##format(w, w_stride, x, x_stride, cols, n, y, y_stride);                   \
        for (; rows; rows--, w += w_stride, y++)                                               \
            strip1_##format(w, w_stride, x, x_stride, cols, n, y, y_stride);                   \
    }

DOT_TILE(f32, 4)
DOT_TILE(f16, 2)
DOT_TILE(bf16, 2)
#endif
