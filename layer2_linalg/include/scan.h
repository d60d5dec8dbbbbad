/* scan.h - one-pass scans of a long row of logits, for samplers.
 *
 * Siblings: scan.c (read first), scan_avx2.c, scan_avx512.c, scan_neon.c, scan_wasm.c.
 *
 *     numbers   |<-- chunk of 1024 -->|<-- chunk of 1024 -->| ...   lane of number i: i mod 16
 *     lanes      s0 s1 ... s15                                      float sums inside a chunk
 *     total      double, a chunk at a time     s0..s15 folded in halves: 8, 4, 2, 1
 *
 * Invariant: every version gives the same bits.  Samplers compare with these sums, and the same
 * chain must choose the same token on every machine [every_machine_chooses_alike,
 * sums_of_exponentials]. */
#ifndef STRATA_SCAN_H
#define STRATA_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum { SCAN_LANES = 16, SCAN_CHUNK = 1024, SCAN_SEGMENT = 64 };

/* Sums over e = exp(x[i] - shift).  More than 43 below the shift, e counts as 0: next to a term
 * of 1 it vanishes, and its square would be subnormal, which is slow.  NaN makes all three NaN.
 *
 * Needs    shift at least the largest x[i]. */
typedef struct ExpSums {
    double sum;      /* of e */
    double weighted; /* of (x[i] - shift) e */
    double squares;  /* of e^2 */
} ExpSums;
ExpSums scan_exp(const float *x, size_t n, float shift);

/* Sums over the numbers above -infinity, shifted to be small. */
typedef struct Moments {
    size_t count;
    double sum, squares; /* of x[i] - shift, of its square */
} Moments;
Moments scan_moments(const float *x, size_t n, float shift);

/* out[s] = max of x[64 s .. 64 s + 63], NaN if there is one; n / 64 segments, rounded up. */
void scan_segment_max(const float *x, size_t n, float *out);

/* Copy the numbers >= threshold and their ids, in order; returns how many.  ids NULL: the id is
 * the index.  out may be x, out_ids may be ids.
 *
 * Needs    a threshold that is not NaN. */
size_t scan_keep(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                 int32_t *out_ids);

/* The same for the others: below the threshold, or NaN. */
size_t scan_below(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                  int32_t *out_ids);

#endif
