/* block.h - one block: a mixer and a feed-forward around the residual stream.
 *
 * The mixer, which brings in what came before, is attention, a state-space layer or a short
 * convolution; a block may have two of them, each of which adds to x, or none; and it may do without
 * a feed-forward.
 *
 *     sequential    x += attention(norm(x));  x += feed_forward(norm'(x))          Llama, Qwen, Gemma, GPT-2
 *     parallel      x += attention(norm(x)) + feed_forward(norm'(x))               GPT-J, Falcon, Phi 2
 *     after         x = norm(x + attention(x));  x = norm'(x + feed_forward(x))    BERT
 *                   ... the first one twice: norm_2(x + norm(x + attention(x)))    Jina's BERT for code
 *     laurel        x = (x + attention(h) + h + laurel(h)) / sqrt(2), h = norm(x);
 *                   x += feed_forward(norm'(x))                                    Gemma 3n
 *     cross         x += attention(norm(x));  x += cross attention(norm''(x));  x += feed_forward(norm'(x))     T5
 *     beside        x += attention(norm(x));  x += network(norm'(x)) + experts(x)  Gemma 4 with experts
 *     joined        x += attention([token | x], normed by the join);  x += feed_forward(norm'(x))    EAGLE-3
 *
 * A norm of kind NORM_NONE is not there: without the first ones a branch reads x as it is (OLMo 2);
 * in the parallel form one norm may serve both.  What a branch returns may go through a norm of its
 * own before it is added (Gemma 2), and be scaled (Granite).  At its end a block may take an input of its
 * own (layer_input.h) and be scaled as a whole (Gemma 4); and x may be but one part of a wider stream
 * (altup.h), as whose other parts are dealt with before and after.
 *
 * Invariant: what a token gets depends on its own sequence alone. */
#ifndef STRATA_BLOCK_H
#define STRATA_BLOCK_H

#include "altup.h"
#include "join.h"
#include "laurel.h"
#include "layer_input.h"
#include "mixer_cross.h"
#include "mixer_mla.h"
#include "mixer_delta.h"
#include "mixer_mamba.h"
#include "mixer_rwkv.h"
#include "mixer_short_conv.h"
#include "moe.h"

typedef enum Wiring {
    WIRING_SEQUENTIAL,
    WIRING_PARALLEL,
    WIRING_NORM_AFTER,
    WIRING_LAUREL,
    WIRING_BESIDE,
    WIRING_JOINED,
} Wiring;

typedef struct Block {
    Wiring wiring;
    Join join; /* in front of the block of a draft head; or not there */
    Norm attn_norm, ffn_norm, attn_post_norm, ffn_post_norm;
    Norm attn_norm_2;     /* of WIRING_NORM_AFTER; or none */
    float residual_scale; /* on what a branch adds; 0: 1 */
    Attention attention;  /* not there: o.w.data is NULL */
    Relative relative;    /* of its scores; not there: table is NULL */
    Cross cross;          /* between attention and feed-forward; or not there */
    Mla mla;        /* how its keys and values come about; not there: kv_a.w.data is NULL */
    Mamba mamba;    /* not there: in.w.data is NULL */
    DeltaNet delta; /* not there: out.w.data is NULL */
    Rwkv rwkv;      /* the same; its channel mix is the feed-forward */
    ShortConvMixer short_conv;                 /* not there: in.w.data is NULL */
    FeedForward ffn;                           /* not there: neither has net.up nor a router */
    Norm network_post_norm, experts_post_norm; /* of both beside one another */
    Laurel laurel;                             /* of WIRING_LAUREL */
    LayerInput layer_input;                    /* not there: gate.w.data is NULL */
    AltUp altup;                               /* not there: streams is 0 */
    const float *output_scale;                 /* a number, on x behind the block; NULL: 1 */
} Block;

/* How wide the blocks of a model are, at most. */
typedef struct BlockSizes {
    size_t dim;
    AttentionSizes attention;
    MlaSizes mla;
    MambaSizes mamba;
    DeltaSizes delta;
    RwkvSizes rwkv;
    size_t short_conv; /* dim, when a block has one */
    FfnSizes ffn;
    LayerInputSizes layer_input;
    size_t laurel, streams; /* rank and parts; 0: none */
    size_t join,
        join_wide; /* dim, when a block has one, and the widest row that its maps read */
} BlockSizes;

/* Numbers of a block's recurrent state (state.h); 0: it has none. */
size_t block_state(const Block *block);

/* Grow sizes to what this block needs, which reads rows of dim numbers. */
void block_sizes_include(BlockSizes *sizes, const Block *block, size_t dim);

/* Working memory for up to `rows` tokens. */
typedef struct BlockRun {
    Pool *pool;
    size_t rows;
    float *normed, *aside, *branch; /* (rows, dim) */
    void *scratch;                  /* of products with rows of dim numbers */
    Probe *probe;                   /* borrows; NULL: nobody looks */
    AttentionRun attention;
    MlaRun mla;
    MambaRun mamba;
    DeltaRun delta;
    RwkvRun rwkv;
    ShortConvRun short_conv;
    FfnRun ffn;
    LaurelRun laurel;
    LayerInputRun layer_input;
    AltUpRun altup;
    JoinRun join;
} BlockRun;

void block_run_init(BlockRun *run, Pool *pool, size_t rows, const BlockSizes *sizes,
                    Arena *arena);

/* x (count, dim), or with AltUp (streams, count, dim), through the block; keys and values of the batch, and its states, are stored in
 * layer `layer` of the memory, which has room for them. */
void block_forward(const Block *block, BlockRun *run, KvCache *kv, size_t layer,
                   const Batch *batch, float *x, size_t dim);

#endif
