/* attention_train.h - attention for whole sequences at once, and its gradients: the form to train with.
 *
 * The products of many rows with many keys are products of matrices, so they go through
 * matmul_packed; read attention.h first.
 *
 * Invariant: the gradients of K and V are summed by one thread in a fixed order. */
#ifndef STRATA_ATTENTION_TRAIN_H
#define STRATA_ATTENTION_TRAIN_H

#include "attention.h"

/* Several sequences laid end to end: sequence s is the rows start[s] .. start[s + 1] - 1. */
typedef struct Sequences {
    const size_t *start; /* (count + 1) */
    size_t count;
} Sequences;

/* out (n, heads * head_dim) = attention within each sequence; the same as attention() but for rounding.
 *
 *   scratch   attention_scratch_floats(threads, longest) floats
 *
 * Needs    no sinks, relative biases, source or chosen positions; values as wide as keys.
 * Cost     about 2 * n * longest * heads * head_dim flops for a causal mask. */
void attention_sequences(Pool *pool, const AttentionShape *shape, Sequences sequences,
                         const float *q, const float *k, const float *v, float *out,
                         float *scratch);

/* The gradients through it.  With P as above and D = dOut V^T:
 *
 *     dS = P * (D - rowsum(P * D)) * scale      dQ = dS K      dK = dS^T Q      dV = P^T dOut
 *
 *   dq dk dv   written
 *
 * Needs    what attention_sequences needs, and no soft cap. */
void attention_backward(Pool *pool, const AttentionShape *shape, Sequences sequences,
                        const float *q, const float *k, const float *v, const float *dout,
                        float *dq, float *dk, float *dv, float *scratch);

size_t attention_scratch_floats(int threads, size_t longest);

#endif
