/* attention_train.h - attention for whole sequences, and its gradients: the form to train with.
 *
 * Many queries times many keys are matrix products (matmul_packed).  Read attention.h first.
 *
 * Invariant: one thread sums dK and dV, in a fixed order [threads_change_no_bit]. */
#ifndef STRATA_ATTENTION_TRAIN_H
#define STRATA_ATTENTION_TRAIN_H

#include "attention.h"

/* Sequences laid end to end: sequence s is rows start[s] .. start[s + 1] - 1. */
typedef struct Sequences {
    const size_t *start; /* (count + 1) */
    size_t count;
} Sequences;

/* Rows of the longest one. */
size_t sequences_longest(Sequences sequences);

typedef struct AttentionTask {
    const AttentionShape *shape;
    Sequences sequences;
    float *scratch;         /* attention_scratch_floats(threads, longest) floats */
    const float *q, *k, *v; /* as in attention.h, all sequences' rows */
    float *out;             /* (n, heads * head_dim) */
    /* the gradients of out, and of q, k and v: attention_backward alone */
    const float *dout;
    float *dq, *dk, *dv;
} AttentionTask;

/* out = attention within each sequence, as attention() up to rounding.
 *
 * Needs    sinks, relative, cross and chosen unset; values as wide as keys.
 * Flops    about 2 * n * longest * heads * head_dim for a causal mask. */
void attention_sequences(Pool *pool, const AttentionTask *task);

/* Its gradients.  With P as in attention.h and D = dOut V^T:
 *
 *     dS = P * (D - rowsum(P * D)) * scale      dQ = dS K      dK = dS^T Q      dV = P^T dOut
 *
 * Needs    what attention_sequences needs, and no softcap. */
void attention_backward(Pool *pool, const AttentionTask *task);

size_t attention_scratch_floats(int threads, size_t longest);

#endif
