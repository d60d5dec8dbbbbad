/* altup.h - alternating updates: a stream of several times dim numbers, of which a block computes one part.
 *
 * A wider stream remembers more, but every matrix of a block grows with it.  Here the stream has s parts
 * X_0 .. X_s-1 of dim numbers, and only X_0, the active one, goes through the block; what the block would
 * do to the others is foretold from what it did to it:
 *
 *     m      = tanh(router(norm(X_0)) / dim)                 s numbers: what kind of token is this
 *     P_o    = X_o + sum_i (predict m)_oi X_i                foretold, by a mixture of all parts
 *     n      = block(P_0)                                    computed
 *     X_i    = P_i + (correct m' + 1)_i (n - P_0)            m' from n; corrected by what was not foretold
 *
 * predict is (s * s, s) and correct (s, s): next to the block's matrices they cost nothing.  Before the
 * first block the parts are maps of the embedding, each as long as it; behind the last one their maps back
 * are as long as X_0, and the mean of all is what the head reads.
 *
 * A batch of n tokens has its parts one after the other: X_i at x + i * n * dim.
 *
 * Invariant: what a token gets depends on its own parts alone.
 * Source   Baykal et al. 2023, arXiv:2301.13310 (AltUp); Google 2025, Gemma 3n, the reference code of its layers.
 * Tutorial docs/layer4/layer-inputs.md */
#ifndef STRATA_ALTUP_H
#define STRATA_ALTUP_H

#include "nn.h"

enum { ALTUP_STREAMS = 8 }; /* parts, at most */

/* A block's. */
typedef struct AltUp {
    size_t streams;     /* s; 0: none, x is one part */
    Linear router;      /* (s, dim) */
    Norm router_norm;   /* of dim numbers */
    Linear predict;     /* (s * s, s) */
    Linear correct;     /* (s, s) */
    const float *scale; /* (dim) on X_0, for what reads it after the correction */
} AltUp;

/* A model's. */
typedef struct AltUpEnds {
    Linear spread; /* (s - 1, dim, dim) from the embedding to X_1 .. */
    Linear gather; /* (s - 1, dim, dim) back */
} AltUpEnds;

/* Working memory for up to so many tokens. */
typedef struct AltUpRun {
    float *normed;   /* (rows, dim) */
    float *foretold; /* (rows, dim) P_0 */
    float *modes;    /* (rows, s) m */
    float *mix;      /* (rows, s * s) */
    void *scratch;   /* of the products */
} AltUpRun;

void altup_run_init(AltUpRun *run, size_t rows, size_t dim, size_t streams, Arena *arena);

/* X (s, n, dim) becomes P; what stands at x goes through the block. */
void altup_predict(Pool *pool, const AltUp *altup, AltUpRun *run, float *x, size_t n,
                   size_t dim);

/* X_0 (n, dim) is what the block made of P_0; X (s, n, dim) is corrected by it. */
void altup_correct(Pool *pool, const AltUp *altup, AltUpRun *run, float *x, size_t n,
                   size_t dim);

/* From the embedding X_0 (n, dim) to all of X (s, n, dim), and from all of it to what is read. */
void altup_spread(Pool *pool, const AltUpEnds *ends, AltUpRun *run, float *x, size_t n,
                  size_t dim);
void altup_gather(Pool *pool, const AltUpEnds *ends, AltUpRun *run, float *x, size_t n,
                  size_t dim);

#endif
