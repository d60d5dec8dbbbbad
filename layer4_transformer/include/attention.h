/* attention.h - attention as the textbook writes it, within one whole sequence.
 *
 *     scores = scale * Q K^T          (n, n)   how well each query fits each key
 *     P      = softmax(scores)        row by row, over the keys that the mask shows
 *     out    = P V                    a weighted mean of the values
 *
 * Each head works on its own head_dim columns.  With fewer key-value heads than query heads
 * (GQA; with one, MQA), heads / kv_heads neighbouring query heads share one K and V.
 *
 *     q    (n, heads * head_dim)       head h starts at column h * head_dim
 *     k    (n, kv_heads * head_dim)
 *     v    (n, kv_heads * value_dim)
 *
 * Read this form first: three loops.  attention_online.h decodes, attention_train.h trains.
 *
 * Invariant: a token's output depends only on the tokens its mask shows [every_pair_acts].
 * Source   Vaswani et al. 2017, arXiv:1706.03762, eq. 1; GQA: Ainslie et al. 2023,
 *          arXiv:2305.13245. */
#ifndef STRATA_ATTENTION_H
#define STRATA_ATTENTION_H

#include "mask.h"
#include "relative.h"

/* Sizes, and what a family adds to the scores. */
typedef struct AttentionShape {
    size_t heads, kv_heads, head_dim;
    size_t value_dim; /* 0: head_dim */
    float scale;      /* usually 1 / sqrt(head_dim) */
    /* > 0: scores become softcap * tanh(score / softcap).  Gemma 2, arXiv:2408.00118 */
    float softcap;
    float max_bias; /* ALiBi; 0: none */
    /* (heads) one extra score in each softmax, without a value: a head may attend to nothing.
     * NULL: none.  Xiao et al. 2023, arXiv:2309.17453; learned in gpt-oss */
    const float *sinks;
    const Relative *relative; /* learned bias by distance; NULL: none */
    Mask mask;
    /* attend to all of the source's keys and values (mixer_cross.h); no mask */
    bool cross;
    /* attend only to these of the positions in the mask (indexer.h), at least one: bit j of
     * word p is position 64 p + j, chosen_words words for each row of a batch.  NULL: all */
    const uint64_t *chosen;
    size_t chosen_words;
} AttentionShape;

static inline size_t attention_value_dim(const AttentionShape *shape) {
    return shape->value_dim ? shape->value_dim : shape->head_dim;
}

/* Abort unless heads is a multiple of kv_heads and `relative` has a bias for each head. */
void attention_require(const AttentionShape *shape);

/* Numbers of a row of queries, keys and values. */
static inline size_t attention_q_width(const AttentionShape *s) {
    return s->heads * s->head_dim;
}
static inline size_t attention_k_width(const AttentionShape *s) {
    return s->kv_heads * s->head_dim;
}
static inline size_t attention_v_width(const AttentionShape *s) {
    return s->kv_heads * attention_value_dim(s);
}

/* out (n, heads * value_dim) = attention within one sequence.
 *
 *   scores   (n + 1)   scratch
 *
 * Needs    cross and chosen unset (attention_online has them).
 * Flops    about 2 * n * n * heads * (head_dim + value_dim); causal: half of it. */
void attention(const AttentionShape *shape, size_t n, const float *q, const float *k,
               const float *v, float *out, float *scores);

/* The score that goes into the softmax: softcap, then ALiBi's bias by distance.
 *
 *   score   scale * q.k
 *   slope   attention_slope of the head */
float attention_score(const AttentionShape *shape, float score, float slope, size_t query,
                      size_t key);

/* ALiBi's slope of a head; 0: no ALiBi. */
float attention_slope(const AttentionShape *shape, size_t head);

#endif
