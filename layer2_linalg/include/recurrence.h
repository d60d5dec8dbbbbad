/* recurrence.h - one step of a linear recurrence, and what is read out of it: the loop that
 * state-space models are made of.
 *
 *                    decay       in * b
 *                      v           v
 *     state[r] ----->  *  -------> + ------+--> state'[r]        a row of n numbers
 *                                          |
 *                                          * c, summed --> out[r]
 *
 * Siblings: recurrence.c (read first), recurrence_avx2.c, recurrence_avx512.c, recurrence_neon.c.
 *
 * Invariant: every version gives the same bits.  The sum runs in 16 lanes, number i in lane i mod
 * 16, which are then folded in halves: 8, 4, 2, 1. */
#ifndef STRATA_RECURRENCE_H
#define STRATA_RECURRENCE_H

#include <stddef.h>

/* after[r][i] = decay[r][i] * before[r][i] + in[r] * b[i]
 * out[r]      = sum over i of after[r][i] * c[i] */
typedef struct Recurrence {
    float *after;        /* (rows, n) written; may be before */
    const float *before; /* (rows, n) */
    const float *decay;  /* (rows, n), or with decay_step 0 (n): the same for all rows */
    size_t decay_step;   /* n or 0 */
    const float *in;     /* (rows) */
    const float *b, *c;  /* (n) */
    float *out;          /* (rows) written */
    size_t rows, n;
} Recurrence;

void recurrence_step(const Recurrence *task);

#endif
