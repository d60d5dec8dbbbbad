/* dot.c - see dot.h.  Six lines that are most of a language model: a 7B model is seven billion
 * of the multiplications in this file for each token. */
#include "dot.h"
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

float dot_f32(const float *a, const float *b, size_t n) { return dot_row(DTYPE_F32, a, b, n); }

float dot_row(Dtype dtype, const void *row, const float *x, size_t n) {
    float sum;
    kernels_tile(dtype)(row, 0, 1, x, 0, 1, n, &sum, 0);
    return sum;
}
