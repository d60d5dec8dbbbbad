/* vector.h - the other loops over vectors: axpy, weighted sum, sum, max, mask, exp.
 *
 * Siblings: vector.c (read first), vector_avx2.c, vector_avx512.c, vector_neon.c,
 * vector_wasm.c.
 *
 * Invariant: axpy, weighted sum, max, mask and exp return the same bits in every version, with
 * two exceptions: vector_wasm.c's weighted sum rounds each product (WebAssembly has no fused
 * multiply-add), and max may return another NaN, or a zero of the other sign.  The sum adds in
 * a fixed order that depends only on n [weighted_sum_is_bit_exact,
 * max_finds_the_largest_and_nan, a_mask_leaves_what_its_bits_say,
 * exp_is_the_same_everywhere]. */
#ifndef STRATA_VECTOR_H
#define STRATA_VECTOR_H

#include <stddef.h>
#include <stdint.h>

/* y[i] = y[i] + a * x[i] for n elements, rounded once (a fused multiply-add). */
void axpy(float *y, float a, const float *x, size_t n);
void axpy_scalar(float *y, float a, const float *x, size_t n);

/* The format of x, below.  The last two read the same bytes, which hold two numbers each:
 * q - 8, with q in the lower or upper four bits. */
typedef enum StripFormat {
    STRIP_F32,
    STRIP_F16,
    STRIP_BF16,
    STRIP_LOW4,
    STRIP_HIGH4
} StripFormat;

static inline size_t strip_number_bytes(StripFormat format) {
    return format == STRIP_F32 ? 4 : format <= STRIP_BF16 ? 2 : 1;
}

/* y[c][i] = y[c][i] + a[c][0] * x[0][i] + a[c][1] * x[1][i] + ..., each product added as in
 * axpy, in this order.
 *
 *   y   (count, n);    result c begins at y + c * y_step
 *   a   (count, rows); its factors at     a + c * a_step
 *   x   (rows, n), in strips of 16 columns: x[j][i] is at x + i / 16 * x_step + 16 * j + i % 16
 *
 *       | x[0][0..15] | x[1][0..15] | x[2][0..15] | ...     the first strip
 *       | x[0][16..31]| x[1][16..31]| ...                   the second, x_step further on
 *
 * So memory is read from front to back while the sums of a strip stay in registers, and each
 * number of x is used for several results. */
enum { STRIP = 16 };

typedef struct WeightedTask {
    float *y;
    const float *a;
    const void *x;
    size_t y_step, a_step, x_step; /* numbers */
    size_t count, rows, n;
} WeightedTask;
void weighted_sum(StripFormat format, const WeightedTask *task);

/* The sum of n elements; 0 for n = 0. */
float vector_sum(const float *x, size_t n);

/* The largest of n elements, NaN if there is one; -infinity for n = 0. */
float vector_max(const float *x, size_t n);

/* x[i] = -infinity where bit i of `bits` (bit i % 64 of word i / 64) is 0.  Grammars forbid
 * tokens with it.
 *
 *   bits   (n / 64, rounded up) */
void vector_mask(float *x, const uint64_t *bits, size_t n);

/* out[i] = exp(x[i] - shift); out may be x.
 *
 *     exp(v) = 2^m * exp(r),   m = round(v / ln 2),   r = v - m ln 2 in [-0.35, 0.35]
 *
 * exp(r) is a polynomial of degree 6; ln 2 is split in two parts (Cody & Waite), so that r
 * keeps its low bits.  -infinity gives 0, NaN stays NaN, overflow gives infinity.
 *
 * Error    at most 2.9 ulp in [-87, 88] (all of it is tried): one from the polynomial, the rest
 *          from rounding without fused multiply-adds, which some machines lack and which would
 *          change the bits [exp_is_within_three_ulp].
 * Source   Cody & Waite 1980, Software Manual for the Elementary Functions, chapter 6. */
void vector_exp(float *out, const float *x, float shift, size_t n);

#endif
