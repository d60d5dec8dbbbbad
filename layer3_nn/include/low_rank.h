/* low_rank.h - LoRA: an adapter adds two thin matrices to a linear map.
 *
 *     y += scale * B (A x)        A (rank, in), B (out, rank), rank much less than in and out
 *
 *     x ---------- W ----------(+)--> y
 *      \                       /
 *       +---- A ---> t ---> B +       t: rank numbers
 *
 * W does not change and may have any format; several adapters add up.
 *
 * Invariant: a row's result does not depend on other rows, nor on the threads [adapters,
 * adapters_by_row, acts_as_changed_weights].
 *
 * Source   Hu et al. 2021, arXiv:2106.09685, section 4.1. */
#ifndef STRATA_LOW_RANK_H
#define STRATA_LOW_RANK_H

#include "linalg.h"

enum { LOW_RANK_MAX = 512 };

/* On which rows of a batch an adapter acts, and how strongly: texts that share a batch may have
 * different adapters. */
typedef struct LowRankRows {
    const float *factor; /* (rows) on the scale; 0: not on this row; NULL: on none */
} LowRankRows;

typedef struct LowRank {
    const float *a, *b;         /* (rank, in), (out, rank) */
    size_t rank, in, out;       /* rank: 1 to LOW_RANK_MAX */
    float scale;                /* includes alpha / rank */
    const struct LowRank *next; /* NULL: no more */
    const LowRankRows *rows;    /* borrows; NULL: on all rows, by its scale */
} LowRank;

/* Add one adapter, without `next`, to one row.
 *
 *   x   (in)    read
 *   y   (out)   added to
 *
 * Flops    2 rank (in + out).
 * Tutorial docs/layer5/adapters.md; exercise 3.17. */
void low_rank_add(const LowRank *adapter, const float *x, float *y);

/* Add all adapters of a list to n rows.  Those that act on none of them cost nothing. */
void low_rank_rows(Pool *pool, const LowRank *first, const float *x, size_t n, float *y);

#endif
