/* hadamard.h - a rotation that spreads an outlier over all numbers.
 *
 *     H1 = [1]     H2n = 1/sqrt(2) | Hn  Hn |
 *                                  | Hn -Hn |
 *
 * Invariant: H is symmetric and its own inverse; it keeps lengths and dot products, up to
 * rounding: Hq . Hk = q . k [a_rotation_keeps_lengths_and_is_its_own_inverse]. */
#ifndef STRATA_HADAMARD_H
#define STRATA_HADAMARD_H

#include <stddef.h>

enum { HADAMARD_MAX = 256 };

/* How many numbers of a vector of n are rotated together: the largest power of two that divides
 * n, at most HADAMARD_MAX. */
size_t hadamard_block(size_t n);

/* x (n) = H x, block by block; applied twice it gives x again.
 *
 * Needs    `block` a power of two, n a multiple of it.
 * Flops    n log2(block).
 * Source   Fino, Algazi 1976, Unified Matrix Treatment of the Fast Walsh-Hadamard Transform. */
void hadamard(float *x, size_t n, size_t block);

#endif
