/* ffn.h - the feed-forward half of a block: what each token thinks for itself.
 *
 *     plain    out = down( act(up x) )
 *     gated    out = down( act(gate x) * up x )
 *     experts  out = sum of the gated networks that a router chose, weighted by its softmax
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

/* out (n, dim) = the network applied to each row of x (n, dim).
 *
 *   hidden_a, hidden_b   (n, hidden) scratch; for experts hidden_b needs hidden + dim at least
 *   scratch   matmul_weights_bytes(n, max(dim, hidden)); NULL will do for plain weights */
void feed_forward(Pool *pool, const FeedForward *ffn, const float *x, size_t n, float *out,
                  float *hidden_a, float *hidden_b, void *scratch);

#endif
