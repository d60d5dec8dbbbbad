/* dot_neon.c - dot products, four lanes at a time (AArch64).  Read dot.c and dot_avx2.c first.
 *
 * The same loop with registers of four lanes; 32 registers allow a tile of 4 rows by 4 columns. */
#include "dot.h"
#include "../simd/unroll.h"

#if defined(__aarch64__)
#include "neon.h"

INLINE float add_lanes(float32x4_t v) {
    float32x2_t pair = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    return vget_lane_f32(vpadd_f32(pair, pair), 0);
}

/* Four weights from index k on, as f32; one loader for each format. */
INLINE float32x4_t load_f32(const void *row, size_t k) {
    return vld1q_f32((const float *)row + k);
}

INLINE float32x4_t load_f16(const void *row, size_t k) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const uint16_t *)row + k)));
}

INLINE float32x4_t load_bf16(const void *row, size_t k) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16((const uint16_t *)row + k), 16));
}

/* The last n % 4 numbers, padded with zeros. */
INLINE float32x4_t tail_of(const void *row, size_t k, size_t n, size_t size,
                           float32x4_t (*load)(const void *, size_t)) {
    unsigned char padded[16] = {0};
    memcpy(padded, (const char *)row + k * size, (n - k) * size);
    return load(padded, 0);
}

/* `size` is a weight's bytes. */
#define TILE(R, C, LOAD, size)                                                                \
    do {                                                                                      \
        float32x4_t sum[R][C];                                                                \
        UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++) sum[r][c] =     \
            vdupq_n_f32(0);                                                                   \
        size_t k = 0;                                                                         \
        for (; k + 4 <= n; k += 4) {                                                          \
            float32x4_t in[C];                                                                \
            UNROLL for (int c = 0; c < C; c++) in[c] =                                        \
                vld1q_f32(x + (size_t)c * x_stride + k);                                      \
            UNROLL for (int r = 0; r < R; r++) {                                              \
                float32x4_t weight = LOAD(w + (size_t)r * w_stride, k);                       \
                UNROLL for (int c = 0; c < C; c++) sum[r][c] =                                \
                    vfmaq_f32(sum[r][c], weight, in[c]);                                      \
            }                                                                                 \
        }                                                                                     \
        if (k < n) UNROLL for (int r = 0; r < R; r++) {                                       \
                float32x4_t weight = tail_of(w + (size_t)r * w_stride, k, n, size, LOAD);     \
                UNROLL for (int c = 0; c < C; c++) sum[r][c] = vfmaq_f32(                     \
                    sum[r][c], weight, tail_of(x + (size_t)c * x_stride, k, n, 4, load_f32)); \
            }                                                                                 \
        UNROLL for (int r = 0; r < R; r++) UNROLL for (int c = 0; c < C; c++)                 \
            y[(size_t)c * y_stride + (size_t)r] = add_lanes(sum[r][c]);                       \
    } while (0)

#define DOT_TILE(format, size)                                                              \
    static void strip4_##format(const char *w, size_t w_stride, const float *x,             \
                                size_t x_stride, size_t cols, size_t n, float *y,           \
                                size_t y_stride) {                                          \
        for (; cols >= 4; cols -= 4, x += 4 * x_stride, y += 4 * y_stride)                  \
            TILE(4, 4, load_##format, size);                                                \
        for (; cols; cols--, x += x_stride, y += y_stride) TILE(4, 1, load_##format, size); \
    }                                                                                       \
    static void strip1_##format(const char *w, size_t w_stride, const float *x,             \
                                size_t x_stride, size_t cols, size_t n, float *y,           \
                                size_t y_stride) {                                          \
        for (; cols >= 4; cols -= 4, x += 4 * x_stride, y += 4 * y_stride)                  \
            TILE(1, 4, load_##format, size);                                                \
        for (; cols; cols--, x += x_stride, y += y_stride) TILE(1, 1, load_##format, size); \
    }                                                                                       \
    void dot_tile_##format##_neon(const void *rows_of_w, size_t w_stride, size_t rows,      \
                                  const float *x, size_t x_stride, size_t cols, size_t n,   \
                                  float *y, size_t y_stride) {                              \
        const char *w = rows_of_w;                                                          \
        for (; rows >= 4; rows -= 4, w += 4 * w_stride, y += 4)                             \
            strip4_##format(w, w_stride, x, x_stride, cols, n, y, y_stride);                \
        for (; rows; rows--, w += w_stride, y++)                                            \
            strip1_##format(w, w_stride, x, x_stride, cols, n, y, y_stride);                \
    }

DOT_TILE(f32, 4)
DOT_TILE(f16, 2)
DOT_TILE(bf16, 2)
#endif
