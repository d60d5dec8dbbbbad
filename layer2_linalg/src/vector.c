/* vector.c - see vector.h. */
#include "vector.h"
#include "simd/exp_constants.h"
#include "simd/min_size.h"
#include "half.h"
#include "kernel_table.h"

#include <math.h>
#include <string.h>

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

float vector_sum_scalar(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

float vector_max_scalar(const float *x, size_t n) {
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) return x[i];
        if (x[i] > max) max = x[i];
    }
    return max;
}

/* 2^m for m = -127 .. 127, by writing the exponent bits. */
static float power_of_two(int m) {
    unsigned bits = (unsigned)(m + 127) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 2^m is applied in two halves, because m itself may lie outside the exponents of f32. */
static float exp_one(float v) {
    v = v > EXP_HIGHEST ? EXP_HIGHEST : v;
    v = v < EXP_LOWEST ? EXP_LOWEST : v;
    float whole = v * EXP_LOG2E + EXP_ROUND - EXP_ROUND;
    float r = v - whole * EXP_LN2_HIGH - whole * EXP_LN2_LOW;
    float p = EXP_C6;
    p = p * r + EXP_C5;
    p = p * r + EXP_C4;
    p = p * r + EXP_C3;
    p = p * r + EXP_C2;
    p = p * (r * r) + r + 1;
    if (isnan(v)) return v;
    int m = (int)whole, half = (m - (m & 1)) / 2; /* rounded down, for negative m, too */
    return p * power_of_two(half) * power_of_two(m - half);
}

void vector_exp_scalar(float *out, const float *x, float shift, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = exp_one(x[i] - shift);
}

/* The weighted sum of one row. */
void axpy(float *y, float a, const float *x, size_t n) {
    kernels()->weighted_sum(&(WeightedTask){
        .y = y, .a = &a, .x = x, .x_step = STRIP, .count = 1, .rows = 1, .n = n});
}

void weighted_sum(float *y, size_t y_step, const float *a, size_t a_step, size_t count,
                  const float *x, size_t x_step, size_t rows, size_t n) {
    kernels()->weighted_sum(&(WeightedTask){y, a, x, y_step, a_step, x_step, count, rows, n});
}

void weighted_sum_f16(float *y, size_t y_step, const float *a, size_t a_step, size_t count,
                      const uint16_t *x, size_t x_step, size_t rows, size_t n) {
    kernels()->weighted_sum_f16(
        &(WeightedTask){y, a, x, y_step, a_step, x_step, count, rows, n});
}

float vector_sum(const float *x, size_t n) { return kernels()->vector_sum(x, n); }
float vector_max(const float *x, size_t n) { return kernels()->vector_max(x, n); }
void vector_exp(float *out, const float *x, float shift, size_t n) {
    kernels()->vector_exp(out, x, shift, n);
}
