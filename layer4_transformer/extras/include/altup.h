/* altup.h - alternating updates: a residual stream of s parts, of which a block computes one.
 *
 * A wider stream holds more, but every matrix of a block grows with it.  Here the stream has
 * parts X_0 .. X_s-1 of dim numbers each.  Only X_0 goes through the block; the changes of the
 * others are predicted from it:
 *
 *     m      = tanh(router(norm(X_0)) / dim)                 (s) modes of this token
 *     P_o    = X_o + sum_i (predict m)_oi X_i                prediction: a mixture of all parts
 *     n      = block(P_0)
 *     X_i    = P_i + (correct m' + 1)_i (n - P_0)            m' from n; n - P_0: the innovation
 *
 * predict is (s * s, s) and correct (s, s): cheap next to the block's matrices.  Before the
 * first block the parts are maps of the embedding, rescaled to its length.  After the last one
 * they are mapped back and rescaled to the length of X_0; the head reads the mean of all.
 *
 * A batch of n tokens stores part i at x + i * n * dim.
 *
 * Invariant: a token's output depends only on its own parts [neighbours_change_no_bit].
 * Source   Baykal et al. 2023, arXiv:2301.13310 (AltUp); Google 2025, Gemma 3n, reference code.
 * Tutorial docs/layer4/layer-inputs.md */
#ifndef STRATA_ALTUP_H
#define STRATA_ALTUP_H

#include "nn.h"

enum { ALTUP_STREAMS = 8 }; /* max parts */

/* Of a block. */
typedef struct AltUp {
    size_t streams;   /* s; 0: no AltUp */
    Linear router;    /* (s, dim) */
    Norm router_norm; /* of dim numbers */
    Linear predict;   /* (s * s, s) */
    Linear correct;   /* (s, s) */
    /* (dim) on X_0 after the correction, for the layer input (layer_input.h) */
    const float *scale;
} AltUp;

/* Of a model. */
typedef struct AltUpEnds {
    Linear spread; /* (s - 1, dim, dim) embedding to X_1 .. */
    Linear gather; /* (s - 1, dim, dim) X_1 .. back */
} AltUpEnds;

/* Working memory for up to `rows` tokens. */
typedef struct AltUpRun {
    float *normed;    /* (rows, dim) */
    float *predicted; /* (rows, dim) P_0, then the innovation */
    float *modes;     /* (rows, s) m */
    float *mix;       /* (rows, s * s) */
    void *scratch;    /* for the products */
} AltUpRun;

void altup_run_init(AltUpRun *run, size_t rows, size_t dim, size_t streams, Arena *arena);

/* X (s, n, dim) becomes P; then x, the first part, goes through the block. */
void altup_predict(Pool *pool, const AltUp *altup, AltUpRun *run, float *x, size_t n,
                   size_t dim);

/* Correct X (s, n, dim), whose X_0 is the block's output for P_0. */
void altup_correct(Pool *pool, const AltUp *altup, AltUpRun *run, float *x, size_t n,
                   size_t dim);

/* Spread the embedding X_0 (n, dim) over all of X (s, n, dim); gather X into X_0. */
void altup_spread(Pool *pool, const AltUpEnds *ends, AltUpRun *run, float *x, size_t n,
                  size_t dim);
void altup_gather(Pool *pool, const AltUpEnds *ends, AltUpRun *run, float *x, size_t n,
                  size_t dim);

#endif
