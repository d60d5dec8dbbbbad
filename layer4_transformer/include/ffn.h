/* ffn.h - the feed-forward half of a block: what each token thinks for itself.
 *
 *     plain    out = down( act(up x) )
 *     gated    out = down( act(gate x) * up x )
 *     experts  out = sum of the gated networks that a router chose, weighted by its softmax: moe.h
 *
 * Source   Vaswani et al. 2017 (plain), Shazeer 2020, arXiv:2002.05202 (gated),
 *          Jiang et al. 2024, arXiv:2401.04088 (the mixture of Mixtral). */
#ifndef STRATA_FFN_H
#define STRATA_FFN_H

#include "nn.h"

typedef struct FeedForward {
    Activation act;
    bool gated;
    Linear gate, up, down;
    /* a mixture of experts instead, when router.w.data is set */
    Linear router; /* (experts, dim) */
    Linear gate_experts, up_experts,
        down_experts; /* w: (experts, hidden, dim), the last (experts, dim, hidden); packed: of each expert */
    size_t experts_used;
} FeedForward;

/* How wide a network is; experts and experts_used are 0 where there is one for all. */
typedef struct FfnSizes {
    size_t dim, hidden, experts, experts_used;
} FfnSizes;

/* One of the experts of a token. */
typedef struct ExpertChoice {
    size_t expert, row; /* row: its place among the rows of all experts */
    float weight;
} ExpertChoice;

/* Working memory for up to so many tokens.  Each stands in one row, or in one for each of its
 * experts. */
typedef struct FfnRun {
    float *a, *b;  /* (rows, hidden) */
    void *scratch; /* of the products */
    /* for a mixture: */
    float *scores;            /* (tokens, experts) */
    ExpertChoice *choice;     /* (tokens, used) */
    size_t *first;            /* (experts + 1): where the rows of each begin */
    float *rows;              /* (rows, dim) */
    Linear *maps;             /* (2 * experts) */
    WeightsProduct *products; /* (2 * experts) */
} FfnRun;

void ffn_run_init(FfnRun *run, size_t tokens, const FfnSizes *sizes, Arena *arena);

/* out (n, dim) = the network applied to each row of x (n, dim). */
void feed_forward(Pool *pool, const FeedForward *ffn, const float *x, size_t n, float *out,
                  FfnRun *run);

/* What lies between up, gate and down, for n rows: a = act(a) * b, or act(b) without a gate. */
void ffn_bend(Pool *pool, const FeedForward *ffn, size_t n, size_t hidden, FfnRun *run);

#endif
