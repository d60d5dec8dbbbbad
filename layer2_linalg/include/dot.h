/* dot.h - the dot product, of f32 vectors and of an F16 or BF16 weight row with an f32 vector.
 *
 *     dot(w, x) = sum_k w[k] * x[k]
 *
 * Siblings: dot.c (read first), dot_avx2.c, dot_avx512.c, dot_avx512bf16.c, dot_neon.c,
 * dot_wasm.c.
 *
 * Invariant: a version adds up in one fixed order that depends on n alone, so the same row and
 * vector give the same bits whether they are multiplied alone or as part of a matrix product.
 *
 * Error    |got - exact| <= gamma_n * sum_k |w[k] * x[k]|,  gamma_n = n*u / (1 - n*u),  u = 2^-24
 *          (dot_avx512bf16.c rounds the inputs and says what that adds)
 * Source   Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.1. */
#ifndef STRATA_DOT_H
#define STRATA_DOT_H

#include "tensor.h"

/* The dot product of two f32 vectors of n elements (n = 0 gives 0). */
float dot_f32(const float *a, const float *b, size_t n);

/* The dot product of a weight row in F32, F16, BF16 or a quantized format with an f32 vector of n elements. */
float dot_row(Dtype dtype, const void *row, const float *x, size_t n);

/* The same for one format each, in plain C: a weight of 16 bits becomes a float first.  n = 0 gives 0. */
float dot_f32_scalar(const float *a, const float *b, size_t n);
float dot_f16_scalar(const uint16_t *w, const float *x, size_t n);
float dot_bf16_scalar(const uint16_t *w, const float *x, size_t n);

/* With a quantized row: dequantize a block, multiply, add.  What the products of matmul.h are proved against; they round x
 * and take the sums in whole numbers. */
float dot_quantized(Dtype dtype, const void *row, const float *x, size_t n);

#endif
