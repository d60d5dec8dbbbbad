/* convert.h - rows of numbers from one format to another.
 *
 * Invariant: widening is exact and the same bits on every instruction set. */
#ifndef STRATA_CONVERT_H
#define STRATA_CONVERT_H

#include "tensor.h"

/* The formats that can be read and computed with: the plain ones, Q4_0 to Q8_0, the K formats, IQ4,
 * MXFP4 and TQ. */
bool dtype_is_computable(uint32_t dtype);

/* out (n) = the n numbers of a stored row.
 *
 * Needs    a computable format, n a multiple of its block. */
void dequantize_row(Dtype dtype, const void *row, float *out, size_t n);

/* The formats that can be written: the plain ones, Q4_0 to Q8_0, MXFP4 and TQ. */
bool dtype_is_writable(uint32_t dtype);

/* Store n floats in a format, as its published reference algorithm does.
 *
 * Needs    a writable format, n a multiple of its block. */
void quantize_row(Dtype dtype, const float *x, void *row, size_t n);

#endif
