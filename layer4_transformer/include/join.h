/* join.h - where a draft head begins: a token, and what the model knew before it, become one row.
 *
 *     row p = map [ norm(embedding of token p) | norm'(h of position p - 1) ]
 *
 * h is the row from which the model chose token p.  The two have different lengths, and each has its own norm.
 * What comes out goes through a block like any other, and then tells the token after p.
 *
 * Invariant: a row depends on its own token and its own h alone.
 * Source   DeepSeek-AI 2024, arXiv:2412.19437, section 2.2, eq. 21 (there h comes first).
 * Tutorial docs/layer6/speculative.md */
#ifndef STRATA_JOIN_H
#define STRATA_JOIN_H

#include "nn.h"

typedef struct Join {
    Norm token_norm, hidden_norm; /* of dim numbers each */
    Linear map;                   /* (dim, 2 dim); not there: w.data is NULL */
} Join;

/* Working memory for up to so many tokens. */
typedef struct JoinRun {
    float *both;   /* (rows, 2 dim) */
    void *scratch; /* of the product */
} JoinRun;

/* dim 0: no block begins like this. */
void join_run_init(JoinRun *run, size_t rows, size_t dim, Arena *arena);

/* Embeddings become rows for a block.
 *
 *   hidden   (n, dim) h of the position before each token; 0 before the first one
 *   x        (n, dim) the tokens' embeddings; then the rows */
void join_forward(Pool *pool, const Join *join, JoinRun *run, const float *hidden, size_t n,
                  float *x);

#endif
