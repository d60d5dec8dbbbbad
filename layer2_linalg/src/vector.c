/* vector.c - see vector.h. */
#include "vector.h"
#include "size.h"
#include "half.h"
#include "kernel_table.h"

#include <math.h>

void axpy_scalar(float *y, float a, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

/* axpy with one row after the other, strip by strip. */
void weighted_sum_scalar(const WeightedTask *t) {
    const float *x = t->x;
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i += STRIP)
            for (size_t j = 0; j < t->rows; j++)
                axpy_scalar(t->y + c * t->y_step + i, t->a[c * t->a_step + j],
                            x + i / STRIP * t->x_step + STRIP * j, min_size(STRIP, t->n - i));
}

/* The same with x in F16: each strip of a row is widened, then added. */
void weighted_sum_f16_scalar(const WeightedTask *t) {
    const uint16_t *x = t->x;
    float row[STRIP];
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i += STRIP)
            for (size_t j = 0; j < t->rows; j++) {
                size_t n = min_size(STRIP, t->n - i);
                const uint16_t *half = x + i / STRIP * t->x_step + STRIP * j;
                for (size_t k = 0; k < n; k++) row[k] = f16_to_f32(half[k]);
                axpy_scalar(t->y + c * t->y_step + i, t->a[c * t->a_step + j], row, n);
            }
}

/* See vector.h: NaN when there is one, -infinity of none. */
float vector_max_scalar(const float *x, size_t n) {
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) return x[i];
        if (x[i] > max) max = x[i];
    }
    return max;
}

void vector_mask_scalar(float *x, const uint64_t *bits, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(bits[i / 64] >> (i % 64) & 1)) x[i] = -INFINITY;
}

/* The weighted sum of one row. */
void axpy(float *y, float a, const float *x, size_t n) {
    kernels()->weighted_sum(&(WeightedTask){
        .y = y, .a = &a, .x = x, .x_step = STRIP, .count = 1, .rows = 1, .n = n});
}

float vector_sum(const float *x, size_t n) { return kernels()->vector_sum(x, n); }
float vector_max(const float *x, size_t n) { return kernels()->vector_max(x, n); }
void vector_mask(float *x, const uint64_t *bits, size_t n) {
    kernels()->vector_mask(x, bits, n);
}
void vector_exp(float *out, const float *x, float shift, size_t n) {
    kernels()->vector_exp(out, x, shift, n);
}
