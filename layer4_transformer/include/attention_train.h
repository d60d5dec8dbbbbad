/* attention_train.h - attention for whole sequences, and its gradients: the form to train with.
 *
 * Many queries times many keys are matrix products (matmul_packed).  Read attention.h first.
 *
 * Invariant: one thread sums the gradients of K and V, in a fixed order. */
#ifndef STRATA_ATTENTION_TRAIN_H
#define STRATA_ATTENTION_TRAIN_H

#include "attention.h"

/* Sequences laid end to end: sequence s is rows start[s] .. start[s + 1] - 1. */
typedef struct Sequences {
    const size_t *start; /* (count + 1) */
    size_t count;
} Sequences;

/* out (n, heads * head_dim) = attention within each sequence, as attention() up to rounding.
 *
 *   scratch   attention_scratch_floats(threads, longest) floats
 *
 * Needs    sinks, relative, cross and chosen unset; values as wide as keys.
 * Cost     about 2 * n * longest * heads * head_dim flops for a causal mask. */
void attention_sequences(Pool *pool, const AttentionShape *shape, Sequences sequences,
                         const float *q, const float *k, const float *v, float *out,
                         float *scratch);

/* Its gradients.  With P as in attention.h and D = dOut V^T:
 *
 *     dS = P * (D - rowsum(P * D)) * scale      dQ = dS K      dK = dS^T Q      dV = P^T dOut
 *
 *   dq dk dv   written
 *
 * Needs    what attention_sequences needs, and no softcap. */
void attention_backward(Pool *pool, const AttentionShape *shape, Sequences sequences,
                        const float *q, const float *k, const float *v, const float *dout,
                        float *dq, float *dk, float *dv, float *scratch);

size_t attention_scratch_floats(int threads, size_t longest);

#endif
