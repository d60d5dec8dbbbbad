/* convert.h - rows of numbers from one format to another.
 *
 * Invariant: widening is exact and the same bits on every instruction set. */
#ifndef STRATA_CONVERT_H
#define STRATA_CONVERT_H

#include "tensor.h"

/* The formats that can be read and computed with: the plain ones and every quantized one. */
bool dtype_is_computable(uint32_t dtype);

/* The formats whose numbers share scales, in blocks: products with them are taken in whole numbers. */
bool dtype_is_quantized(uint32_t dtype);

/* out (n) = the n numbers of a stored row.
 *
 * Needs    a computable format, n a multiple of its block. */
void dequantize_row(Dtype dtype, const void *row, float *out, size_t n);

/* The formats that can be written: all readable ones except IQ1, IQ2 and IQ3. */
bool dtype_is_writable(uint32_t dtype);

/* Store n floats in a format: plain ones as their published reference algorithm does, K and IQ4 with
 * the scales that err least.
 *
 *   importance   (n)   how much each square of an error counts; NULL: all the same
 *
 * Needs    a writable format, n a multiple of its block. */
void quantize_row(Dtype dtype, const float *x, const float *importance, void *row, size_t n);

/* The index of the first of n numbers that a format cannot hold, or n: NaN and infinity in every one, and beyond 65504
 * those that are kept, or scaled, by 16 bits (all but F32 and BF16). */
size_t quantize_misfit(Dtype dtype, const float *x, size_t n);

#endif
