/* dot.c - see dot.h.  Six lines that are most of a language model: a 7B model is seven billion
 * of the multiplications in this file for each token. */
#include "dot.h"
#include "convert.h"
#include "kernels.h"

float dot_f32_scalar(const float *a, const float *b, size_t n) {
    float sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

float dot_f16_scalar(const uint16_t *w, const float *x, size_t n) {
    float sum = 0;
    for (size_t k = 0; k < n; k++) sum += f16_to_f32(w[k]) * x[k];
    return sum;
}

float dot_bf16_scalar(const uint16_t *w, const float *x, size_t n) {
    float sum = 0;
    for (size_t k = 0; k < n; k++) sum += bf16_to_f32(w[k]) * x[k];
    return sum;
}

/* d has 11 significant bits and q has 7, so the product d * q is exact in f32. */
float dot_q8_0_scalar(const BlockQ8_0 *w, const float *x, size_t n) {
    float sum = 0;
    for (size_t b = 0; b < n / Q8_0_BLOCK; b++) {
        float d = f16_to_f32(w[b].d);
        for (int k = 0; k < Q8_0_BLOCK; k++)
            sum += d * (float)w[b].q[k] * x[b * Q8_0_BLOCK + (size_t)k];
    }
    return sum;
}

/* The scalar tile is the dot product, once for each output. */
#define SCALAR_TILE(format, type)                                                           \
    void dot_tile_##format##_scalar(const void *w, size_t w_stride, size_t rows,            \
                                    const float *x, size_t x_stride, size_t cols, size_t n, \
                                    float *y, size_t y_stride) {                            \
        for (size_t r = 0; r < rows; r++)                                                   \
            for (size_t c = 0; c < cols; c++)                                               \
                y[c * y_stride + r] = dot_##format##_scalar(                                \
                    (const type *)((const char *)w + r * w_stride), x + c * x_stride, n);   \
    }

SCALAR_TILE(f32, float)
SCALAR_TILE(f16, uint16_t)
SCALAR_TILE(bf16, uint16_t)
SCALAR_TILE(q8_0, BlockQ8_0)

float dot_f32(const float *a, const float *b, size_t n) { return dot_row(DTYPE_F32, a, b, n); }

/* Four rows at a time are enough for a tile; each thread has room for them. */
static _Thread_local float widened[4 * DOT_LONGEST_ROW];

void dot_rows(Dtype dtype, const void *w, size_t w_stride, size_t rows, const float *x,
              size_t x_stride, size_t cols, size_t n, float *y, size_t y_stride) {
    DotTile *own = kernels_tile(dtype);
    if (own) {
        own(w, w_stride, rows, x, x_stride, cols, n, y, y_stride);
        return;
    }
    REQUIRE(n <= DOT_LONGEST_ROW, "a %s row of %zu numbers, room for %d", dtype_name(dtype), n,
            DOT_LONGEST_ROW);
    for (size_t r = 0; r < rows; r += 4) {
        size_t some = rows - r < 4 ? rows - r : 4;
        for (size_t i = 0; i < some; i++)
            dequantize_row(dtype, (const char *)w + (r + i) * w_stride, widened + i * n, n);
        kernels()->tile_f32(widened, n * sizeof *widened, some, x, x_stride, cols, n, y + r,
                            y_stride);
    }
}

float dot_row(Dtype dtype, const void *row, const float *x, size_t n) {
    float sum;
    dot_rows(dtype, row, 0, 1, x, 0, 1, n, &sum, 0);
    return sum;
}
