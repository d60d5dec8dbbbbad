/* convert.h - rows of numbers from one format to another.
 *
 * Invariant: widening is exact and the same bits on every instruction set
 * [whole_blocks_read_as_they_should, widening_is_exact]. */
#ifndef STRATA_CONVERT_H
#define STRATA_CONVERT_H

#include "tensor.h"

/* Can weights of this format be read and multiplied?  Plain and quantized formats can. */
bool dtype_is_computable(uint32_t dtype);

/* Do blocks of its numbers share scales?  Products are integer sums then (panel.h). */
bool dtype_is_quantized(uint32_t dtype);

/* out (n) = a stored row of n numbers.
 *
 * Needs    a computable format, n a multiple of its block. */
void dequantize_row(Dtype dtype, const void *row, float *out, size_t n);

/* Can it be written?  All computable formats can. */
bool dtype_is_writable(uint32_t dtype);

/* Store n floats: most formats as their published reference algorithm does, K and IQ4 formats
 * with a search for the scales of least error.
 *
 *   importance   (n)   weights of the squared errors; NULL: all 1
 *
 * Needs    a writable format, n a multiple of its block. */
void quantize_row(Dtype dtype, const float *x, const float *importance, void *row, size_t n);

/* The index of the first of n numbers that a format cannot store, or n: NaN, infinity, and,
 * where numbers or scales are F16 (all but F32 and BF16), magnitudes above 65504; of NVFP4,
 * above 2688. */
size_t quantize_misfit(Dtype dtype, const float *x, size_t n);

#endif
