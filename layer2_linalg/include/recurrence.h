/* recurrence.h - one step of a linear recurrence and its readout: the inner loop of state-space
 * models and linear attention.
 *
 *                    decay       in * b
 *                      v           v
 *     state[r] ----->  *  -------> + ------+--> state'[r]        a row of n numbers
 *                                          |
 *                                          * c, summed --> out[r]
 *
 * Rows are stored one after the other, or sixteen side by side in a strip (vector.h):
 *
 *    rows      | 0: n numbers | 1: n numbers | ...          a sum is folded from 16 lanes
 *    strips    | number 0 of rows 0..15 | number 1 of rows 0..15 | ...  a sum stays in its lane
 *
 * Siblings: recurrence.c (read first), recurrence_avx2.c, recurrence_avx512.c,
 * recurrence_neon.c.
 *
 * Invariant: every version gives the same bits.  A row's sum has 16 lanes, number i in lane i
 * mod 16, folded in halves: 8, 4, 2, 1; in a strip it goes from the first number to the
 * last [every_set_gives_the_same_bits, every_set_takes_strips_alike]. */
#ifndef STRATA_RECURRENCE_H
#define STRATA_RECURRENCE_H

#include "size.h"
#include "vector.h"

/* after[r][i] = decay[r][i] * before[r][i] + in[r] * b[i]
 * out[r]      = sum over i of after[r][i] * c[i] */
typedef struct Recurrence {
    float *after;        /* (rows, n) written; may be before */
    const float *before; /* (rows, n) */
    const float *decay;  /* (rows, n) */
    const float *in;     /* (rows) */
    const float *b, *c;  /* (n) */
    float *out;          /* (rows) written */
    size_t rows, n;
} Recurrence;

void recurrence_step(const Recurrence *task);

/* The same for rows in strips, with one decay for all rows and up to two inputs:
 *
 *     after[r][i] = decay[i] * before[r][i] + in[r] * b[i] + in2[r] * b2[i]
 *     out[r]      = sum over i of after[r][i] * c[i]
 *
 * number i of row r is at r / 16 * 16 n + 16 i + r % 16.
 *
 * Flops    5 a number, 7 with a second input.
 * Cost     reads `before` and writes `after` once [states_are_read_as_often_as_said]. */
typedef struct StripRecurrence {
    float *after;        /* (rows / 16 rounded up, n, 16) written; may be before */
    const float *before; /* the same */
    const float *decay;  /* (n) */
    const float *in, *b; /* (rows), (n) */
    const float *in2;    /* (rows) or NULL */
    const float *b2;     /* (n) */
    const float *c;      /* (n) */
    float *out;          /* (rows) written */
    size_t rows, n;
} StripRecurrence;

void recurrence_strips(const StripRecurrence *task);

/* Rows rounded up to whole strips. */
static inline size_t strip_rows(size_t rows) { return round_up(rows, STRIP); }

#endif
