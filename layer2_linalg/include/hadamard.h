/* hadamard.h - a rotation that spreads one large number over all.
 *
 *     H1 = [1]     H2n = 1/sqrt(2) | Hn  Hn |
 *                                  | Hn -Hn |
 *
 * Invariant: H is symmetric and its own inverse, so lengths and dot products stay: Hq . Hk = q . k, up to rounding. */
#ifndef STRATA_HADAMARD_H
#define STRATA_HADAMARD_H

#include <stddef.h>

enum { HADAMARD_MAX = 256 };

/* The numbers that are rotated together in a vector of n: the largest power of two that divides n, HADAMARD_MAX at
 * most. */
size_t hadamard_block(size_t n);

/* x (n) = H x, block after block; twice gives x again.
 *
 * Needs    `block` a power of two, n a multiple of it.
 * Cost     n log2(block) additions.
 * Source   Fino & Algazi 1976, Unified Matrix Treatment of the Fast Walsh-Hadamard Transform. */
void hadamard(float *x, size_t n, size_t block);

#endif
