/* attention.h - attention by the textbook's formula, for whole sequences.
 *
 *     scores = scale * Q K^T          (n, n)   how well each query fits each key
 *     P      = softmax(scores)        row by row, over the keys the mask lets through
 *     out    = P V                    a weighted mean of values
 *
 * Each head does this on its own head_dim columns.  With fewer key-value heads than heads (GQA;
 * one is MQA), heads / kv_heads neighbouring query heads share one K and V.
 *
 *     q    (n, heads * head_dim)       head h at columns h * head_dim ..
 *     k v  (n, kv_heads * head_dim)
 *
 * This is the form to train with: attention.c takes the queries in blocks and gives each thread a
 * key-value head.  attention_online.h is the form to decode with.
 *
 * Invariant: a token's output depends on the tokens its mask shows, in order of position.
 * Source   Vaswani et al. 2017, arXiv:1706.03762, eq. 1; Ainslie et al. 2023, arXiv:2305.13245 (GQA). */
#ifndef STRATA_ATTENTION_H
#define STRATA_ATTENTION_H

#include "mask.h"

typedef struct AttentionShape {
    size_t heads, kv_heads, head_dim;
    float scale; /* 1 / sqrt(head_dim), unless a family says otherwise */
    float
        softcap; /* scores become cap * tanh(score / cap); 0: not.  Gemma 2, arXiv:2408.00118 */
    float max_bias; /* ALiBi; 0: not */
    Mask mask;
} AttentionShape;

/* Several sequences laid end to end: sequence s is the rows start[s] .. start[s + 1] - 1. */
typedef struct Sequences {
    const size_t *start; /* (count + 1) */
    size_t count;
} Sequences;

/* out (n, heads * head_dim) = attention within each sequence.
 *
 *   scratch   attention_scratch_floats(threads, longest) floats
 *
 * Cost     about 2 * n * longest * heads * head_dim flops for a causal mask. */
void attention(Pool *pool, const AttentionShape *shape, Sequences sequences, const float *q,
               const float *k, const float *v, float *out, float *scratch);

/* The gradients through it.  With P as above and D = dOut V^T:
 *
 *     dS = P * (D - rowsum(P * D)) * scale      dQ = dS K      dK = dS^T Q      dV = P^T dOut
 *
 *   dq dk dv   written
 *
 * Needs    softcap = 0. */
void attention_backward(Pool *pool, const AttentionShape *shape, Sequences sequences,
                        const float *q, const float *k, const float *v, const float *dout,
                        float *dq, float *dk, float *dv, float *scratch);

size_t attention_scratch_floats(int threads, size_t longest);

#endif
