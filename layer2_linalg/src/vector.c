/* vector.c - see vector.h. */
#include "vector.h"
#include "size.h"
#include "half.h"
#include "kernels/kernel_table.h"
#include "simd/exp_constants.h"

#include <math.h>
#include <string.h>

void axpy_scalar(float *y, float a, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

/* Number i of a strip of a row as a float, exactly. */
static inline float strip_number(StripFormat format, const void *strip, size_t i) {
    const uint8_t *bytes = strip;
    switch (format) {
    case STRIP_F32: return ((const float *)strip)[i];
    case STRIP_F16: return f16_to_f32(((const uint16_t *)strip)[i]);
    case STRIP_BF16: return bf16_to_f32(((const uint16_t *)strip)[i]);
    case STRIP_LOW4: return (float)((bytes[i] & 15) - 8);
    case STRIP_HIGH4: break;
    }
    return (float)((bytes[i] >> 4) - 8);
}

/* For each result and row, strip by strip: widen the numbers, then axpy. */
static inline void widen_and_sum(StripFormat format, const WeightedTask *t) {
    const size_t bytes = strip_number_bytes(format);
    float row[STRIP];
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i += STRIP)
            for (size_t j = 0; j < t->rows; j++) {
                size_t n = min_size(STRIP, t->n - i), at = i / STRIP * t->x_step + STRIP * j;
                for (size_t k = 0; k < n; k++)
                    row[k] = strip_number(format, (const char *)t->x + bytes * at, k);
                axpy_scalar(t->y + c * t->y_step + i, t->a[c * t->a_step + j], row, n);
            }
}

void weighted_sum_scalar(const WeightedTask *t) { widen_and_sum(STRIP_F32, t); }
void weighted_sum_f16_scalar(const WeightedTask *t) { widen_and_sum(STRIP_F16, t); }
void weighted_sum_bf16_scalar(const WeightedTask *t) { widen_and_sum(STRIP_BF16, t); }
void weighted_sum_low4_scalar(const WeightedTask *t) { widen_and_sum(STRIP_LOW4, t); }
void weighted_sum_high4_scalar(const WeightedTask *t) { widen_and_sum(STRIP_HIGH4, t); }

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

float vector_sum_scalar(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* 2^m for m = -126 .. 127, by writing the exponent bits. */
static inline float power_of_two(int m) {
    unsigned bits = (unsigned)(m + 127) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* exp(v).  All versions do these operations in this order, each rounded to f32:
 *
 *   v    clamped to EXP_LOWEST .. EXP_HIGHEST; NaN is returned as it is
 *   m    v * EXP_LOG2E rounded to an integer, by adding EXP_ROUND and subtracting it again
 *   r    v - m * EXP_LN2_HIGH - m * EXP_LN2_LOW, from left to right
 *   p    ((((C6 r + C5) r + C4) r + C3) r + C2) (r r) + r + 1
 *   p * 2^half * 2^(m - half), half = floor(m / 2): 2^m itself may overflow or underflow f32 */
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

float vector_sum(const float *x, size_t n) { return kernels()->vector_sum(x, n); }
float vector_max(const float *x, size_t n) { return kernels()->vector_max(x, n); }
void vector_mask(float *x, const uint64_t *bits, size_t n) {
    kernels()->vector_mask(x, bits, n);
}
void vector_exp(float *out, const float *x, float shift, size_t n) {
    kernels()->vector_exp(out, x, shift, n);
}

void weighted_sum(StripFormat format, const WeightedTask *t) {
    const Kernels *k = kernels();
    WeightedSum *const sums[] = {k->weighted_sum, k->weighted_sum_f16, k->weighted_sum_bf16,
                                 k->weighted_sum_low4, k->weighted_sum_high4};
    sums[format](t);
}
