/* block.h - one block: a mixer and a feed-forward network around the residual stream.
 *
 *     sequential    x += mixer(norm(x));  x += network(norm'(x))          Llama, Qwen, Gemma, GPT-2
 *     parallel      x += mixer(norm(x)) + network(norm'(x))               GPT-J, Falcon, Phi 2
 *
 * The mixer, which brings in what came before, is attention; the network is a dense one.  Both are
 * rows of a table (PartKind), and so is the wiring around them: other mixers, experts and wirings
 * (block_extras.h) are rows of their own and change nothing here.
 *
 * A norm of kind NORM_NONE is not there: without the first ones a branch reads x as it is (OLMo 2);
 * in the parallel form one norm may serve both.  What a branch returns may go through a norm of its
 * own before it is added (Gemma 2), and be scaled (Granite).
 *
 * Invariant: what a token gets depends on its own sequence alone.
 * Source   Vaswani et al. 2017, arXiv:1706.03762, sec. 3.1; Xiong et al. 2020, arXiv:2002.04745 (norms
 *          before the branches); Wang & Komatsuzaki 2021, GPT-J (parallel). */
#ifndef STRATA_BLOCK_H
#define STRATA_BLOCK_H

#include "ffn.h"
#include "mixer_attention.h"

typedef struct Block Block;
typedef struct BlockRun BlockRun;

/* One batch on its way through one block. */
typedef struct Pass {
    BlockRun *run;
    KvCache *kv;
    size_t layer; /* of kv: where the block stores its keys, values and states */
    const Batch *batch;
    size_t dim;
} Pass;

/* The blocks that share one working memory, and the largest batch that goes through them. */
typedef struct BlockPlan {
    Pool *pool;
    const Block *blocks; /* (count) */
    size_t count, dim;
    size_t rows; /* tokens of a batch, at most */
    size_t ctx;  /* positions of a sequence, at most */
    Arena *arena;
} BlockPlan;

/* The widest attention and the widest network among them. */
typedef struct BlockSizes {
    AttentionSizes attention;
    FfnSizes ffn;
} BlockSizes;

/* Working memory of one kind, from plan->arena; NULL while the arena measures. */
typedef void *OpenMemory(const BlockPlan *plan);

/* A kind of mixer or of network.  Functions that it does not need are NULL. */
typedef struct PartKind {
    const char *name;
    /* out (count, dim) = the part applied to the rows of in (count, dim) */
    void (*forward)(const Block *block, const Pass *pass, const float *in, float *out);
    size_t (*state)(const Block *block);                    /* numbers of a recurrent state */
    void (*include)(BlockSizes *sizes, const Block *block); /* grow to what it needs */
    OpenMemory *open;                                       /* memory of its own */
} PartKind;

/* How the parts are put together: x (count, dim) goes in and comes out. */
typedef struct Wiring {
    const char *name;
    void (*forward)(const Block *block, const Pass *pass, float *x);
    void (*include)(BlockSizes *sizes, const Block *block);
    OpenMemory *open;
} Wiring;

extern const PartKind attention_part, dense_part;
extern const Wiring sequential_wiring, parallel_wiring;

enum { BLOCK_MIXERS = 2, BLOCK_KINDS = 8 /* with memory of their own, in one model */ };

struct Block {
    const Wiring *wiring;
    const PartKind *mixer[BLOCK_MIXERS]; /* each adds to x; NULL: no more */
    const PartKind *network;             /* NULL: none */
    Norm attn_norm, ffn_norm, attn_post_norm, ffn_post_norm;
    float residual_scale; /* on what a branch adds; 0: 1 */
    Attention attention;
    FeedForward ffn;
    struct BlockExtras *extras; /* of other kinds (block_extras.h); NULL: none */
};

/* Numbers of a block's recurrent state (state.h); 0: it has none. */
size_t block_state(const Block *block);

/* Working memory for plan->rows tokens. */
struct BlockRun {
    Pool *pool;
    size_t rows;
    float *normed, *aside, *branch; /* (rows, dim) */
    void *scratch;                  /* of products with rows of dim numbers */
    Probe *probe;                   /* borrows; NULL: none */
    AttentionRun attention;
    FfnRun ffn;
    struct {
        OpenMemory *open;
        void *memory;
    } own[BLOCK_KINDS]; /* by kinds that have memory of their own */
    size_t owns;
};

void block_run_init(BlockRun *run, const BlockPlan *plan);

/* The memory that `open` has made for the blocks of this run. */
void *block_memory(const BlockRun *run, OpenMemory *open);

/* x (count, dim) through the block; keys, values and states of the batch are stored in
 * pass->layer of the memory, which has room for them. */
void block_forward(const Block *block, const Pass *pass, float *x);

/* ------------------------------------------------------------------ what wirings are made of */

/* out (count, dim) = norm(x). */
void block_norm(const Pass *pass, const Norm *norm, float *out, const float *x);

/* x += scale * norm(run->branch) */
void block_add(const Block *block, const Norm *norm, const Pass *pass, float *x);

/* x += mixer(in), for each mixer; x += network(in), if there is one. */
void block_mix(const Block *block, const Pass *pass, const float *in, float *x);
void block_feed(const Block *block, const Pass *pass, const float *in, float *x);

#endif
