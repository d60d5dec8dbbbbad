/* dot.c - see dot.h.  This loop, in faster forms, is most of a language model: a 7B model does
 * seven billion of its multiplications for each token. */
#include "dot.h"
#include "convert.h"
#include "kernels/kernel_table.h"
#include "quantized.h"
#include "size.h"

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

/* The scalar tile: a dot product for each output. */
#define SCALAR_TILE(format, Weight)                                         \
    void dot_tile_##format##_scalar(const DotTask *t) {                     \
        for (size_t r = 0; r < t->rows; r++)                                \
            for (size_t c = 0; c < t->cols; c++)                            \
                t->y[c * t->y_stride + r] = dot_##format##_scalar(          \
                    (const Weight *)((const char *)t->w + r * t->w_stride), \
                    t->x + c * t->x_stride, t->n);                          \
    }

SCALAR_TILE(f32, float)
SCALAR_TILE(f16, uint16_t)
SCALAR_TILE(bf16, uint16_t)

float dot_f32(const float *a, const float *b, size_t n) {
    float sum = 0;
    kernels()->dot_tile_f32(
        &(DotTask){.w = a, .x = b, .y = &sum, .rows = 1, .cols = 1, .n = n});
    return sum;
}

/* PANEL_COLS numbers are dequantized at a time, so memory is bounded for any n. */
float dot_quantized(Dtype dtype, const void *row, const float *x, size_t n) {
    float block[PANEL_COLS], sum = 0;
    for (size_t k = 0; k < n; k += PANEL_COLS) {
        size_t some = min_size(PANEL_COLS, n - k);
        dequantize_row(dtype, (const char *)row + dtype_row_bytes(dtype, k), block, some);
        for (size_t i = 0; i < some; i++) sum += block[i] * x[k + i];
    }
    return sum;
}
