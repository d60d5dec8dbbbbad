/* mixer_attention.h - attention as a part of a block: from rows of x to rows of x.
 *
 *     x --+--> q --> norm, rope ----------------+
 *         +--> k --> norm, rope --> memory --+--+--> attention --> o
 *         +--> v ----------------> memory --+          v may be k itself, before its norm; and be normed
 *
 * Keys and values are appended to the memory first, then every query looks at all of it that its
 * mask shows, itself included.  A layer may also read what an earlier one keeps, and keep nothing: it
 * has queries only.
 *
 * Invariant: a row's result depends on its own sequence alone, to the bit. */
#ifndef STRATA_MIXER_ATTENTION_H
#define STRATA_MIXER_ATTENTION_H

#include "attention_online.h"
#include "batch.h"
#include "probe.h"

typedef struct Attention {
    Linear q, k, v, o;    /* v not there: it is k.  Of one with `back` neither is */
    float clamp;          /* q, k and v stay within -clamp .. clamp; 0: any.  MPT, OLMo 1 */
    Norm q_norm, k_norm;  /* over a whole row, or for each head */
    Norm v_norm;          /* for each head; or none */
    size_t back;          /* > 0: keys and values are those of the layer so many before it */
    bool norm_after_rope; /* or before, as most do */
    const Rope *rope;     /* NULL, or of style ROPE_NONE: no rotation */
    /* > 0: q is multiplied by 1 + this * ln(1 + floor(position / temperature_ctx)) */
    float q_temperature, temperature_ctx;
    size_t temperature_from; /* the first position counts as this: 0 or 1 */
    /* what is mixed passes as sigmoid(gate) lets it, each number or each head; the gate is a map of x, or
     * each head of q is a query and then a gate as long */
    Linear gate; /* (heads * value_dim, dim) or (heads, dim); or not there */
    bool gate_in_q;
    float v_scale; /* on values; 0: 1 */
    Norm sub_norm; /* of what is mixed, before o; or none */
    AttentionShape shape;
} Attention;

/* Working memory for up to so many tokens. */
typedef struct AttentionRun {
    float *q, *k, *v, *mixed; /* (rows, heads * head_dim) and so on, as wide as they come */
    float *cosine, *sine;     /* (rows, rotary / 2) */
    float *gate;              /* (rows, gate); before that q and gate: (rows, 2 q) */
    void *scratch;            /* of the products */
    Probe *probe;             /* NULL: nobody looks */
} AttentionRun;

/* Widths of a model's widest attention. */
typedef struct AttentionSizes {
    size_t dim, q, k, v, mixed, rotary, gate;
} AttentionSizes;

/* Grow sizes to what this one needs. */
void attention_sizes_include(AttentionSizes *sizes, const Attention *attention);

/* q (n) grows with the position; needs q_temperature. */
void attention_warm(const Attention *attention, float *q, size_t n, size_t position);

void attention_run_init(AttentionRun *run, size_t rows, const AttentionSizes *sizes,
                        Arena *arena);

/* out (count, dim) = attention of each row of x (count, dim); keys and values are appended to layer
 * `layer` of the memory, which has room for them; with `back` they are there already.
 * run->probe, where there is one, is shown queries (probe_queries) before they look, then their weights
 * (probe_weights), then what the heads bring (probe_heads) before gate and norm; it may change the first
 * and the last. */
void attention_forward(Pool *pool, const Attention *attention, AttentionRun *run, KvCache *kv,
                       size_t layer, const Batch *batch, const float *x, float *out);

#endif
