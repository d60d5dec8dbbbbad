/* block.h - one transformer block: attention and feed-forward around the residual stream.
 *
 *     sequential    x += attention(norm(x));  x += feed_forward(norm'(x))          Llama, Qwen, Gemma, GPT-2
 *     parallel      x += attention(norm(x)) + feed_forward(norm'(x))
 *     post-norm     what a branch returns goes through a norm of its own before it is added: Gemma 2
 *
 * A norm whose gain is NULL is not there: without the first ones the block reads x as it is.
 *
 * Invariant: x is only ever added to. */
#ifndef STRATA_BLOCK_H
#define STRATA_BLOCK_H

#include "attention_online.h"
#include "moe.h"

typedef enum NormKind { NORM_RMS, NORM_LAYER } NormKind;

typedef struct Norm {
    const float *gain, *bias; /* gain NULL: no norm; bias NULL: none */
} Norm;

typedef struct Block {
    NormKind norm_kind;
    float eps;
    bool parallel;
    Norm attn_norm, ffn_norm, attn_post_norm, ffn_post_norm;
    Norm q_norm, k_norm;    /* for each head, (head_dim), before the rotation */
    Linear q, k, v, qkv, o; /* either q, k and v, or the three stacked in qkv */
    AttentionShape attn;
    const Rope *rope; /* style ROPE_NONE: positions come from elsewhere */
    float
        q_temperature; /* > 0: q grows by 1 + this * ln(1 + floor(position / temperature_ctx)) */
    float temperature_ctx;
    FeedForward ffn;
} Block;

/* The tokens of one forward pass. */
typedef struct Batch {
    size_t count;
    const int32_t *token, *sequence, *position; /* (count) each */
    const bool *wants_logits;                   /* (count) */
} Batch;

/* Working memory for up to `rows` tokens. */
typedef struct BlockRun {
    Pool *pool;
    size_t rows;
    float *normed, *aside, *q, *k, *v, *mixed, *branch;
    void *scratch; /* of the products */
    FfnRun ffn;
    float *cosine, *sine; /* (rows, rotary / 2) */
} BlockRun;

/* Lay out working memory for blocks like this one (the widest of a model). */
void block_run_init(BlockRun *run, Pool *pool, size_t rows, const FfnSizes *ffn,
                    const AttentionShape *attn, size_t rotary, Arena *arena);

/* x (count, dim) through the block; keys and values of the batch are stored in layer `layer` of
 * the cache, which has room for them. */
void block_forward(const Block *block, BlockRun *run, KvCache *kv, size_t layer,
                   const Batch *batch, float *x, size_t dim);

/* One row through a norm; out may be x. */
void norm_apply(NormKind kind, const Norm *norm, float *out, const float *x, size_t dim,
                float eps);

#endif
