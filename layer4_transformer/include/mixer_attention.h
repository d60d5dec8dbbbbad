/* mixer_attention.h - attention as a mixer: projections, norms, rotation, KV cache, output.
 *
 *     x --+--> q --> norm, rope ---------------+
 *         +--> k --> norm, rope --> cache --+--+--> attention --> o
 *         +--> v -----------------> cache --+          without a v map, v is k before its norm
 *
 * The batch's keys and values are stored first; then each query attends to all that its mask
 * shows, itself included.  A layer may instead read the cache of an earlier layer (`kv_back`,
 * KV sharing) and then has queries only.
 *
 * Invariant: a row depends only on its own sequence, to the bit [neighbours_change_no_bit]. */
#ifndef STRATA_MIXER_ATTENTION_H
#define STRATA_MIXER_ATTENTION_H

#include "attention_online.h"
#include "batch.h"
#include "probe.h"

struct Block;
struct Pass;

typedef struct Attention {
    Linear q, k, v, o;    /* no v map: values are the keys; with `kv_back`: no k and v maps */
    float clamp;          /* clip q, k and v to -clamp .. clamp; 0: none.  MPT, OLMo 1 */
    Norm q_norm, k_norm;  /* over the row or each head */
    Norm v_norm;          /* over each head; or none */
    size_t kv_back;       /* KV sharing: read what the layer so many before stored; 0: none */
    bool norm_after_rope; /* default: before */
    const Rope *rope;     /* NULL or ROPE_NONE: no rotation */
    /* > 0: scale q by 1 + q_temperature * ln(1 + floor(position / temperature_ctx)) */
    float q_temperature, temperature_ctx;
    size_t temperature_from; /* the first position's number: 0 or 1 */
    /* Output gate: heads' outputs times sigmoid(gate x), one gate for each number or each head;
     * or gate_in_q: each head of q holds a query, then its gate. */
    Linear gate; /* (heads * value_dim, dim) or (heads, dim); or none */
    bool gate_in_q;
    float v_scale; /* factor on values; 0: 1 */
    Norm sub_norm; /* before o; or none */
    AttentionShape shape;
} Attention;

/* Working memory for up to `rows` tokens. */
typedef struct AttentionRun {
    float *q, *k, *v, *mixed; /* (rows, heads * head_dim) and so on */
    float *cosine, *sine;     /* (rows, rotary / 2) */
    float *gate;              /* (rows, gate); with gate_in_q first (rows, 2 q) */
    void *scratch;            /* for the products */
    Probe *probe;             /* NULL: none */
} AttentionRun;

/* Row widths of a model's widest attention. */
typedef struct AttentionSizes {
    size_t dim, q, k, v, mixed, rotary, gate;
} AttentionSizes;

/* Grow sizes to fit this attention. */
void attention_sizes_include(AttentionSizes *sizes, const Attention *attention);

/* Abort unless the maps fit the shape and each other, as the comments above say. */
void attention_check(const Attention *attention);

/* Scale q (n) by its position, as q_temperature says.  Needs q_temperature > 0. */
void attention_scale_q(const Attention *attention, float *q, size_t n, size_t position);

void attention_run_init(AttentionRun *run, size_t rows, const AttentionSizes *sizes,
                        Arena *arena);

/* A PartKind's forward (block.h): out (count, dim) = attention of each row of x (count, dim).
 * Keys and values are stored in the pass's layer, which has room; with `kv_back` they are there
 * already.
 *
 * A probe sees the queries before attention (probe_queries), the weights (probe_weights) and
 * the heads' outputs before gate and norm (probe_heads); it may change queries and outputs. */
void attention_forward(const struct Block *block, const struct Pass *pass, const float *x,
                       float *out);

#endif
