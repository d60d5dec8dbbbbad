/* join.h - where a draft head begins: a token, and what the model knew before it, become one row.
 *
 *     both = [ norm(embedding of token p) | norm'(h of position p - 1) ]
 *
 *     row p = map both                                      MTP: goes through a block like any other
 *     row p = h, or norm'(h); attention reads all of both   EAGLE-3: a block of WIRING_JOINED (block.h)
 *
 * h is the row from which the model chose token p, or, in EAGLE-3, a map of three rows of different depths.  Token and h
 * have different lengths, and each has its own norm.  What comes out of the block tells the token after p.
 *
 * Invariant: a row depends on its own token and its own h alone.
 * Source   DeepSeek-AI 2024, arXiv:2412.19437, section 2.2, eq. 21 (there h comes first); Li et al. 2025,
 *          arXiv:2503.01840, section 3.1.
 * Tutorial docs/layer6/speculative.md */
#ifndef STRATA_JOIN_H
#define STRATA_JOIN_H

#include "nn.h"

typedef struct Join {
    Norm token_norm,
        hidden_norm; /* of dim numbers each; kind NORM_NONE: no block begins here */
    Linear map;      /* (dim, 2 dim); w.data NULL: the row is h */
    bool normed;     /* then: it is norm'(h) */
    Linear depths;   /* what makes h of rows of different depths; w.data NULL: it is one row */
} Join;

/* Working memory for up to so many tokens. */
typedef struct JoinRun {
    float *both;   /* (rows, 2 dim) */
    void *scratch; /* of the products */
} JoinRun;

/* wide: the most numbers that one of its maps reads; dim 0: no block begins like this. */
void join_run_init(JoinRun *run, size_t rows, size_t dim, size_t wide, Arena *arena);

/* Embeddings become rows for a block.
 *
 *   hidden   (n, dim) h of the position before each token; 0 before the first one
 *   x        (n, dim) the tokens' embeddings; then the rows */
void join_forward(Pool *pool, const Join *join, JoinRun *run, const float *hidden, size_t n,
                  float *x);

#endif
