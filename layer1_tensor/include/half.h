/* half.h - 16-bit floating point: f16 (IEEE binary16) and bf16 (the top half of an f32).
 *
 *            sign exponent fraction
 *     f32     1      8       23      s eeeeeeee fffffffffffffffffffffff
 *     bf16    1      8        7      s eeeeeeee fffffff              same range, 2-3 digits
 *     f16     1      5       10      s eeeee ffffffffff              6e-8 .. 65504, 3-4 digits
 *
 * Invariant: widening is exact; narrowing rounds to nearest, ties to even, and overflows to
 * infinity, as the hardware does.  NaN becomes a quiet NaN with the top bits of its
 * fraction [widening_is_exact, narrowing_rounds_to_nearest_even]. */
#ifndef STRATA_HALF_H
#define STRATA_HALF_H

#include <stddef.h>
#include <stdint.h>

/* Source   f16: IEEE 754-2019, section 3.6; bf16: Kalamkar et al. 2019, arXiv:1905.12322. */
float f16_to_f32(uint16_t half);
uint16_t f16_from_f32(float value);
float bf16_to_f32(uint16_t half);
uint16_t bf16_from_f32(float value);

#endif
