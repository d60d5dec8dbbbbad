/* mixer_mla.h - multi-head latent attention: one short row holds all heads' keys and values.
 *
 *     x --> kv_a --+--> norm --> latent c (rank) -----+--> cache: | c | k' |
 *                  +--> rope --> k' (rotary) ---------+
 *     x --> (q_a --> norm -->) q_b --> each head:  q (plain) | q' (rotary, rotated)
 *
 * A head's key is K c and its value V c, with its own matrices K and V.  One can compute them
 * for every token,
 *
 *     plain      score = q . K c + q' . k'             out = sum_j p_j V c_j
 *
 * or apply the matrices once for each query instead of once for each key:
 *
 *     absorbed   score = (K^T q) . c + q' . k'         out = V (sum_j p_j c_j)
 *
 * Both are equal.  Absorbed, all heads share one "key" (c, k') and one "value" c, as if there
 * were a single key-value head: attention.h does the rest, and the cache holds no heads at all.
 *
 *                  numbers of a token (DeepSeek V3: 128 heads of 128 + 64, rank 512)
 *     plain        128 * (192 + 128) = 40960
 *     absorbed     512 + 64 + 512    =  1088      c is stored as key and as value
 *
 * Invariant: a row's result depends only on its own sequence, to the bit
 * [neighbours_change_no_bit].
 * Source   DeepSeek 2024, arXiv:2405.04434, sec. 2.1.
 * Tutorial docs/layer4/mla.md */
#ifndef STRATA_MIXER_MLA_H
#define STRATA_MIXER_MLA_H

#include "indexer.h"
#include "mixer_attention.h"

/* Used with Attention: its o, rope and shape, and its q if there is no q_a.
 *
 *     absorbed   kv_heads 1, head_dim rank + rotary, value_dim rank
 *     plain      kv_heads heads, head_dim plain + rotary, value_dim that of a head */
typedef struct Mla {
    Linear q_a, q_b; /* low-rank queries; none: Attention.q */
    Norm q_a_norm;
    Linear kv_a; /* (rank + rotary, dim) */
    Norm kv_a_norm;
    Linear k_b, v_b; /* (heads, rank, plain) and (heads, value, rank): absorbed */
    Linear kv_b;     /* (heads * (plain + value), rank): plain */
    size_t rank, rotary, plain, value;
    Indexer index; /* sparse attention; heads 0: none */
} Mla;

/* Working memory for up to `rows` tokens, besides that of Attention. */
typedef struct MlaRun {
    float *q_latent;  /* (rows, q rank) */
    float *q;         /* (rows, heads * (plain + rotary)) queries */
    float *kv;        /* (rows, rank + rotary) */
    float *heads_in;  /* (heads, rows, rank or plain) */
    float *heads_out; /* (heads, rows, rank or value) or (rows, heads * (plain + value)) */
    Linear *maps;     /* (heads) */
    LinearProduct *products; /* (heads) */
    void *scratch;
    IndexerRun index;
} MlaRun;

/* The largest of a model. */
typedef struct MlaSizes {
    size_t dim, heads, q_latent, q, kv, head, head_rows;
    IndexerSizes index;
} MlaSizes;

/* Grow sizes to fit this one. */
void mla_sizes_include(MlaSizes *sizes, const Attention *attention, const Mla *mla);

void mla_run_init(MlaRun *run, Pool *pool, size_t rows, const MlaSizes *sizes, Arena *arena);

/* out (count, dim) = attention of each row of x (count, dim).  The rows' latents (plain: keys
 * and values) are appended to layer `layer` of the cache, which has room. */
void mla_forward(Pool *pool, const Attention *attention, const Mla *mla, AttentionRun *shared,
                 MlaRun *run, KvCache *kv, size_t layer, const Batch *batch, const float *x,
                 float *out);

#endif
