/* laurel.h - learned augmented residual layer: a low-rank branch beside attention.
 *
 *     h = norm(x)
 *     x = (x + attention(h) + h + norm'(right(left h))) / sqrt(2)
 *
 * left maps down to a few numbers (64 of 2048 in Gemma 3n), right maps back: what every token
 * needs to know about itself can bypass attention's large maps.
 *
 * Invariant: a token's output depends only on its own row [neighbours_change_no_bit].
 * Source   Menghani et al. 2024, arXiv:2411.07501, eq. 3 (LAuReL-LR); Google 2025, Gemma 3n,
 *          reference code.
 * Tutorial docs/layer4/layer-inputs.md */
#ifndef STRATA_LAUREL_H
#define STRATA_LAUREL_H

#include "nn.h"

typedef struct Laurel {
    Linear left;  /* (rank, dim); w.data NULL: no Laurel */
    Linear right; /* (dim, rank) */
    Norm norm;    /* of dim numbers */
} Laurel;

/* Working memory for up to `rows` tokens. */
typedef struct LaurelRun {
    float *few;    /* (rows, rank) */
    float *back;   /* (rows, dim) */
    void *scratch; /* for the products */
} LaurelRun;

/* rank 0: no block has one. */
void laurel_run_init(LaurelRun *run, size_t rows, size_t dim, size_t rank, Arena *arena);

/* x (n, dim), with attention's output added, becomes the x above; h (n, dim). */
void laurel_forward(Pool *pool, const Laurel *laurel, LaurelRun *run, const float *h, size_t n,
                    float *x);

#endif
