/* dot_avx2.c - dot products, eight lanes at a time.  Read dot.c first.
 *
 *     w   |k0 k1 k2 k3 k4 k5 k6 k7|k8 ...          lane i adds up the products k = i, i+8, i+16, ...
 *     x   |k0 k1 k2 k3 k4 k5 k6 k7|k8 ...          one fused multiply-add for eight products
 *     sum |s0 s1 s2 s3 s4 s5 s6 s7|                at the end a fixed tree: ((s0+s4)+(s2+s6)) + ((s1+s5)+(s3+s7))
 *
 * One register of sums for each output, whatever the size of the tile: that is what makes a result
 * independent of the company it is computed in.  A tile of 4 rows by 3 columns keeps twelve such
 * chains in flight; each weight loaded (and converted) serves three columns, each input four rows.
 *
 * With one column the weights come from main memory, four rows side by side: the same place of the
 * next four is asked for meanwhile. */
#include "dot.h"
#include "../simd/ask.h"
#include "../simd/unroll.h"

#if defined(__x86_64__)
#include "avx2.h"

#include <string.h>

/* The sums of the lanes of four registers, side by side. */
INLINE __m128 add_four(__m256 a, __m256 b, __m256 c, __m256 d) {
    __m256 ab = _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20),
                              _mm256_permute2f128_ps(a, b, 0x31)),
           cd = _mm256_add_ps(_mm256_permute2f128_ps(c, d, 0x20),
                              _mm256_permute2f128_ps(c, d, 0x31));
    __m256d low = _mm256_unpacklo_pd(_mm256_castps_pd(ab), _mm256_castps_pd(cd)),
            high = _mm256_unpackhi_pd(_mm256_castps_pd(ab), _mm256_castps_pd(cd));
    __m256 pair = _mm256_add_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high)); /* a c | b d */
    __m256 sum = _mm256_add_ps(pair, _mm256_movehdup_ps(pair));
    __m128 ac = _mm256_castps256_ps128(sum), bd = _mm256_extractf128_ps(sum, 1);
    return _mm_blend_ps(ac, _mm_moveldup_ps(bd), 0xA);
}

/* Eight weights from index k on, as f32; one loader for each format. */
INLINE __m256 load_f32(const void *row, size_t k) {
    return _mm256_loadu_ps((const float *)row + k);
}

INLINE __m256 load_f16(const void *row, size_t k) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)((const uint16_t *)row + k)));
}

INLINE __m256 load_bf16(const void *row, size_t k) {
    __m128i half = _mm_loadu_si128((const __m128i *)((const uint16_t *)row + k));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

/* The last n % 8 numbers, padded with zeros. */
INLINE __m256 tail_of(const void *row, size_t k, size_t n, size_t size,
                      __m256 (*load)(const void *, size_t)) {
    unsigned char padded[32] = {0};
    memcpy(padded, (const char *)row + k * size, (n - k) * size);
    return load(padded, 0);
}

/* `size` is a weight's bytes. */
#define TILE(R, C, LOAD, size)                                                                \
    do {                                                                                      \
        __m256 sum[R][C];                                                                     \
        UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++) sum[r][c] =     \
            _mm256_setzero_ps();                                                              \
        size_t k = 0;                                                                         \
        for (; k + 8 <= n; k += 8) {                                                          \
            __m256 in[C];                                                                     \
            UNROLL for (int c = 0; c < C; c++) in[c] =                                        \
                _mm256_loadu_ps(x + (size_t)c * x_stride + k);                                \
            UNROLL for (int r = 0; r < R; r++) {                                              \
                if (C == 1) ask_for(w + (size_t)(r + R) * w_stride + k * size, 1);            \
                __m256 weight = LOAD(w + (size_t)r * w_stride, k);                            \
                UNROLL for (int c = 0; c < C; c++) sum[r][c] =                                \
                    _mm256_fmadd_ps(weight, in[c], sum[r][c]);                                \
            }                                                                                 \
        }                                                                                     \
        if (k < n) UNROLL for (int r = 0; r < R; r++) {                                       \
                __m256 weight = tail_of(w + (size_t)r * w_stride, k, n, size, LOAD);          \
                UNROLL for (int c = 0; c < C; c++) sum[r][c] = _mm256_fmadd_ps(               \
                    weight, tail_of(x + (size_t)c * x_stride, k, n, 4, load_f32), sum[r][c]); \
            }                                                                                 \
        UNROLL for (int c = 0; c < C; c++) {                                                  \
            float *out = y + (size_t)c * y_stride;                                            \
            if (R == 4)                                                                       \
                _mm_storeu_ps(                                                                \
                    out, add_four(sum[0][c], sum[1 % R][c], sum[2 % R][c], sum[3 % R][c]));   \
            else                                                                              \
                *out = add_lanes(sum[0][c]);                                                  \
        }                                                                                     \
    } while (0)

#define DOT_TILE(format, size)                                                                 \
    AVX2 static void strip4_##format(const char *w, size_t w_stride, const float *x,           \
                                     size_t x_stride, size_t cols, size_t n, float *y,         \
                                     size_t y_stride) {                                        \
        for (; cols >= 3; cols -= 3, x += 3 * x_stride, y += 3 * y_stride)                     \
            TILE(4, 3, load_##format, size);                                                   \
        for (; cols >= 2; cols -= 2, x += 2 * x_stride, y += 2 * y_stride)                     \
            TILE(4, 2, load_##format, size);                                                   \
        for (; cols; cols--, x += x_stride, y += y_stride) TILE(4, 1, load_##format, size);    \
    }                                                                                          \
    AVX2 static void strip1_##format(const char *w, size_t w_stride, const float *x,           \
                                     size_t x_stride, size_t cols, size_t n, float *y,         \
                                     size_t y_stride) {                                        \
        for (; cols >= 3; cols -= 3, x += 3 * x_stride, y += 3 * y_stride)                     \
            TILE(1, 3, load_##format, size);                                                   \
        for (; cols; cols--, x += x_stride, y += y_stride) TILE(1, 1, load_##format, size);    \
    }                                                                                          \
    AVX2 void dot_tile_##format##_avx2(const void *rows_of_w, size_t w_stride, size_t rows,    \
                                       const float *x, size_t x_stride, size_t cols, size_t n, \
                                       float *y, size_t y_stride) {                            \
        const char *w = rows_of_w;                                                             \
        for (; rows >= 4; rows -= 4, w += 4 * w_stride, y += 4)                                \
            strip4_##format(w, w_stride, x, x_stride, cols, n, y, y_stride);                   \
        for (; rows; rows--, w += w_stride, y++)                                               \
            strip1_##format(w, w_stride, x, x_stride, cols, n, y, y_stride);                   \
    }

DOT_TILE(f32, 4)
DOT_TILE(f16, 2)
DOT_TILE(bf16, 2)
#endif
