/* dot.h - the dot product of a weight row and an f32 vector.
 *
 *     dot(w, x) = sum_k w[k] * x[k]
 *
 * Siblings: dot.c (read first), dot_avx2.c, dot_avx512.c, dot_avx512bf16.c, dot_neon.c,
 * dot_wasm.c.
 *
 * Invariant: a version adds in a fixed order that depends only on n, so a row of a plain
 * format and a vector give the same bits alone or as part of a matrix product
 * [company_changes_nothing].
 *
 * Error    |got - exact| <= gamma_n * sum_k |w[k] * x[k]|, gamma_n = n*u / (1 - n*u), u = 2^-24
 *          (dot_avx512bf16.c rounds the inputs; its head says what that adds)
 *          [every_length_and_format]
 * Source   Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.1. */
#ifndef STRATA_DOT_H
#define STRATA_DOT_H

#include "tensor.h"

/* n = 0 gives 0. */
float dot_f32(const float *a, const float *b, size_t n);

/* In plain C, for one format each; 16-bit weights are widened first. */
float dot_f32_scalar(const float *a, const float *b, size_t n);
float dot_f16_scalar(const uint16_t *w, const float *x, size_t n);
float dot_bf16_scalar(const uint16_t *w, const float *x, size_t n);

/* A quantized row: dequantize, multiply, add.  The tests compare the products of matmul.h to
 * it, which round x and sum integers. */
float dot_quantized(Dtype dtype, const void *row, const float *x, size_t n);

#endif
