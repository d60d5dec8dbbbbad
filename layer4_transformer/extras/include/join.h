/* join.h - the input of a draft head: a token's embedding joined with the model's hidden state.
 *
 *     both = [ norm(embedding of token p) | norm'(h of position p - 1) ]
 *
 *     row p = map both                                 MTP: then a block like any other
 *     row p = h, or norm'(h); attention reads both     EAGLE-3: joined_wiring (block_extras.h)
 *
 * h is the hidden state that chose token p; in EAGLE-3, a map of three states from different
 * depths.  Each has its own norm.  The block's output predicts the token after p.
 *
 * Invariant: a row depends only on its own token and h [drafts_are_what_the_head_says].
 * Source   DeepSeek-AI 2024, arXiv:2412.19437, section 2.2, eq. 21 (there h comes first); Li et
 *          al. 2025, arXiv:2503.01840, section 3.1.
 * Tutorial docs/layer6/speculative.md */
#ifndef STRATA_JOIN_H
#define STRATA_JOIN_H

#include "nn.h"

typedef struct Join {
    /* of dim numbers each; kind NORM_NONE: no join */
    Norm token_norm, hidden_norm;
    Linear map;    /* (dim, 2 dim); w.data NULL: the row is h */
    bool normed;   /* without map: the row is norm'(h) */
    Linear depths; /* h from states of several depths; w.data NULL: one state */
} Join;

/* Working memory for up to `rows` tokens. */
typedef struct JoinRun {
    float *both;   /* (rows, 2 dim) */
    void *scratch; /* for the products */
} JoinRun;

/* wide: the widest input of its maps; dim 0: no block has a join. */
void join_run_init(JoinRun *run, size_t rows, size_t dim, size_t wide, Arena *arena);

/* Turn embeddings into the block's input.
 *
 *   hidden   (n, dim) h of the position before each token; 0 before the first one
 *   x        (n, dim) the embeddings; then the rows */
void join_forward(Pool *pool, const Join *join, JoinRun *run, const float *hidden, size_t n,
                  float *x);

#endif
