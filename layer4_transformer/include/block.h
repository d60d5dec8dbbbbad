/* block.h - one block: a mixer and a feed-forward network around the residual stream.
 *
 *     sequential    x += mixer(norm(x));  x += network(norm'(x))      Llama, Qwen, Gemma, GPT-2
 *     parallel      x += mixer(norm(x)) + network(norm'(x))           GPT-J, Falcon, Phi 2
 *
 * The mixer brings in earlier tokens: here attention.  The network is dense.  Mixer, network
 * and the wiring around them are structs of functions (PartKind, Wiring) to which blocks point,
 * so other mixers, experts and wirings (block_extras.h) change nothing here.
 *
 * A norm may be missing (NORM_NONE: OLMo 2 has no first ones), and in the parallel form one may
 * serve both.  A branch may be normed before it is added (Gemma 2), and scaled (Granite).
 *
 * Invariant: a token's output depends only on its own sequence [neighbours_change_no_bit].
 * Source   Vaswani et al. 2017, arXiv:1706.03762, sec. 3.1; Xiong et al. 2020, arXiv:2002.04745
 *          (pre-norm); Wang & Komatsuzaki 2021, GPT-J (parallel). */
#ifndef STRATA_BLOCK_H
#define STRATA_BLOCK_H

#include "ffn.h"
#include "mixer_attention.h"

typedef struct Block Block;
typedef struct BlockRun BlockRun;

/* One batch in one block. */
typedef struct Pass {
    BlockRun *run;
    KvCache *kv;
    size_t layer; /* of kv, for the block's keys, values and states */
    const Batch *batch;
    size_t dim;
} Pass;

/* Blocks that share working memory, and the largest batch. */
typedef struct BlockPlan {
    Pool *pool;
    const Block *blocks; /* (count) */
    size_t count, dim;
    size_t rows; /* max tokens of a batch */
    size_t ctx;  /* max positions of a sequence */
    Arena *arena;
} BlockPlan;

/* The largest attention and network among them. */
typedef struct BlockSizes {
    AttentionSizes attention;
    FfnSizes ffn;
} BlockSizes;

/* Allocate a kind's working memory from plan->arena; NULL while the arena measures. */
typedef void *OpenMemory(const BlockPlan *plan);

/* A kind of mixer or network.  Unused functions are NULL. */
typedef struct PartKind {
    const char *name;
    /* out (count, dim) = the part applied to in (count, dim) */
    void (*forward)(const Block *block, const Pass *pass, const float *in, float *out);
    size_t (*state)(const Block *block);                    /* floats of its recurrent state */
    void (*include)(BlockSizes *sizes, const Block *block); /* grow sizes to fit this block */
    OpenMemory *open;                                       /* its own working memory */
} PartKind;

/* How mixer and network are combined; x (count, dim) is updated in place. */
typedef struct Wiring {
    const char *name;
    void (*forward)(const Block *block, const Pass *pass, float *x);
    void (*include)(BlockSizes *sizes, const Block *block);
    OpenMemory *open;
} Wiring;

extern const PartKind attention_part, dense_part;
extern const Wiring sequential_wiring, parallel_wiring;

enum { BLOCK_MIXERS = 2, BLOCK_KINDS = 8 /* max kinds with working memory of their own */ };

struct Block {
    const Wiring *wiring;
    const PartKind *mixer[BLOCK_MIXERS]; /* each adds to x; NULL ends the list */
    const PartKind *network;             /* NULL: none */
    Norm attn_norm, ffn_norm, attn_post_norm, ffn_post_norm;
    float residual_scale; /* factor on a branch; 0: 1 */
    Attention attention;
    FeedForward ffn;
    /* weights of other kinds (block_extras.h); borrowed: in the model's arena.  NULL: none */
    struct BlockExtras *extras;
};

/* Floats of a block's recurrent state (state.h); 0: none. */
size_t block_state(const Block *block);

/* Working memory for plan->rows tokens. */
struct BlockRun {
    Pool *pool;
    size_t rows;
    float *normed, *tmp, *branch; /* (rows, dim) */
    void *scratch;                /* for products with rows of dim numbers */
    Probe *probe;                 /* borrowed; NULL: none */
    const bool *read;             /* (count) rows that are read after the block; NULL: all */
    AttentionRun attention;
    FfnRun ffn;
    struct {
        OpenMemory *open;
        void *memory;
    } own[BLOCK_KINDS]; /* one entry for each distinct `open` */
    size_t owns;
};

void block_run_init(BlockRun *run, const BlockPlan *plan);

/* The memory that `open` allocated.  Needs a block of that kind in the plan. */
void *block_memory(const BlockRun *run, OpenMemory *open);

/* x (count, dim) through the block.  Keys, values and states of the batch go to layer
 * pass->layer of the cache, which has room for them (kv_extend). */
void block_forward(const Block *block, const Pass *pass, float *x);

/* ------------------------------------------------------------------ for wirings */

/* out (count, dim) = norm(x). */
void block_norm(const Pass *pass, const Norm *norm, float *out, const float *x);

/* x += scale * norm(run->branch) */
void block_add(const Block *block, const Norm *norm, const Pass *pass, float *x);

/* x += mixer(in), for each mixer, then run->probe is shown PROBE_MIXED; x += network(in), if
 * any. */
void block_mix(const Block *block, const Pass *pass, const float *in, float *x);
void block_feed(const Block *block, const Pass *pass, const float *in, float *x);

#endif
