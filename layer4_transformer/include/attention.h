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
 *     k    (n, kv_heads * head_dim)
 *     v    (n, kv_heads * value_dim)
 *
 * This is the form to read first: three loops.  attention_online.h is the form to decode with,
 * attention_train.h the one to train with.
 *
 * Invariant: a token's output depends on the tokens its mask shows, in order of position.
 * Source   Vaswani et al. 2017, arXiv:1706.03762, eq. 1; Ainslie et al. 2023, arXiv:2305.13245 (GQA). */
#ifndef STRATA_ATTENTION_H
#define STRATA_ATTENTION_H

#include "mask.h"
#include "relative.h"

typedef struct AttentionShape {
    size_t heads, kv_heads, head_dim;
    size_t value_dim; /* of a value; 0: head_dim, as that of queries and keys */
    float scale;      /* 1 / sqrt(head_dim), unless a family says otherwise */
    /* scores become cap * tanh(score / cap); 0: not.  Gemma 2, arXiv:2408.00118 */
    float softcap;
    float max_bias; /* ALiBi; 0: not */
    /* (heads) a score in each softmax that has no value: attention may go nowhere; NULL: none.
     * Xiao et al. 2023, arXiv:2309.17453; learned in gpt-oss */
    const float *sinks;
    const Relative *relative; /* a learned bias for each distance; NULL: none */
    Mask mask;
    /* keys and values are those of the source (mixer_cross.h), all of it; no mask */
    bool cross;
    /* of what the mask shows, a query attends to these: bit j of word p is position 64 p + j; NULL: all.
     * Of each row of a batch so many words (indexer.h) */
    const uint64_t *chosen;
    size_t chosen_words;
} AttentionShape;

static inline size_t attention_value_dim(const AttentionShape *shape) {
    return shape->value_dim ? shape->value_dim : shape->head_dim;
}

/* out (n, heads * value_dim) = attention within one sequence.
 *
 *   scores   (n + 1)   scratch
 *
 * Needs    no source and no chosen positions (attention_online.h has them).
 * Cost     about 2 * n * n * heads * (head_dim + value_dim) flops, half of it for a causal mask. */
void attention(const AttentionShape *shape, size_t n, const float *q, const float *k,
               const float *v, float *out, float *scores);

/* What becomes of scale * q.k before the softmax: a soft cap, a bias that grows with the distance.
 *
 *   slope   attention_slope of the head */
float attention_score(const AttentionShape *shape, float score, float slope, size_t query,
                      size_t key);

/* ALiBi's slope of a head; 0: no bias. */
float attention_slope(const AttentionShape *shape, size_t head);

#endif
