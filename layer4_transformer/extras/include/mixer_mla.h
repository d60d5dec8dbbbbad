/* mixer_mla.h - multi-head latent attention: all heads' keys and values from one short row.
 *
 *     x --> kv_a --+--> norm --> latent c (rank) -----+--> memory: | c | k' |
 *                  +--> rope --> k' (rotary) ---------+
 *     x --> (q_a --> norm -->) q_b --> each head:  q (plain) | q' (rotary, turned)
 *
 * What a head looks for and finds stands in c: its key is K c, its value V c, with matrices K and V
 * of its own.  One may compute them for every token,
 *
 *     plain      score = q . K c + q' . k'             out = sum_j p_j V c_j
 *
 * or move the matrices to where there is one of them for each query instead of one for each key:
 *
 *     absorbed   score = (K^T q) . c + q' . k'         out = V (sum_j p_j c_j)
 *
 * Both are the same numbers.  Absorbed, all heads share one "key" (c, k') and one "value" c, as if
 * there were a single key-value head: attention.h does the rest, and memory holds no heads at all.
 *
 *                  numbers of a token (DeepSeek V3: 128 heads of 128 + 64, rank 512)
 *     plain        128 * (192 + 128) = 40960
 *     absorbed     512 + 64 + 512    =  1088      c lies there as key and as value
 *
 * Invariant: a row's result depends on its own sequence alone, to the bit.
 * Source   DeepSeek 2024, arXiv:2405.04434, sec. 2.1.
 * Tutorial docs/layer4/mla.md */
#ifndef STRATA_MIXER_MLA_H
#define STRATA_MIXER_MLA_H

#include "indexer.h"
#include "mixer_attention.h"

/* Beside Attention: q when queries have no latent, o, rope and the shape of the attention:
 *
 *     absorbed   kv_heads 1, head_dim rank + rotary, value_dim rank
 *     plain      kv_heads heads, head_dim plain + rotary, value_dim that of a head */
typedef struct Mla {
    Linear q_a, q_b; /* queries by way of a latent of their own; not there: Attention.q */
    Norm q_a_norm;
    Linear kv_a; /* (rank + rotary, dim) */
    Norm kv_a_norm;
    Linear k_b, v_b; /* (heads, rank, plain) and (heads, value, rank): absorbed */
    Linear kv_b;     /* (heads * (plain + value), rank): plain */
    size_t rank, rotary, plain, value;
    Indexer index; /* what queries look at; heads 0: at everything */
} Mla;

/* Working memory for up to so many tokens, beside that of Attention. */
typedef struct MlaRun {
    float *q_latent;  /* (rows, q rank) */
    float *asked;     /* (rows, heads * (plain + rotary)) */
    float *kv;        /* (rows, rank + rotary) */
    float *heads_in;  /* (heads, rows, rank or plain) */
    float *heads_out; /* (heads, rows, rank or value) or (rows, heads * (plain + value)) */
    Linear *maps;     /* (heads) */
    LinearProduct *products; /* (heads) */
    void *scratch;
    IndexerRun index;
} MlaRun;

/* Widths of a model's widest one. */
typedef struct MlaSizes {
    size_t dim, heads, q_latent, asked, kv, head, head_rows;
    IndexerSizes index;
} MlaSizes;

/* Grow sizes to what this one needs. */
void mla_sizes_include(MlaSizes *sizes, const Attention *attention, const Mla *mla);

void mla_run_init(MlaRun *run, Pool *pool, size_t rows, const MlaSizes *sizes, Arena *arena);

/* out (count, dim) = attention of each row of x (count, dim); what memory holds of them is appended
 * to layer `layer`, which has room for it. */
void mla_forward(Pool *pool, const Attention *attention, const Mla *mla, AttentionRun *shared,
                 MlaRun *run, KvCache *kv, size_t layer, const Batch *batch, const float *x,
                 float *out);

#endif
