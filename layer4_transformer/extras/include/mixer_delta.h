/* mixer_delta.h - linear attention with the delta rule as a part of a block: a memory of fixed size
 * that is corrected, not only added to.
 *
 *     x --> q, k, v --> conv, silu --> the memory moves on, and is asked --> norm --> * --> out
 *       --> z --------------------------------------------------> silu or sigmoid ---+
 *
 * A head remembers with one matrix S, which answers a key with a value: S k.  A new pair (k, v) is
 * written by looking first what the memory says already, and adding only what is wrong about it:
 *
 *     S <- S D                  what is forgotten         D: one number for each head (Gated DeltaNet),
 *     u  = beta (v - S k)       what is missing              or one for each number of k (Kimi's KDA)
 *     S <- S + u k^T            what comes in             beta: how much of it, 0 to 1
 *     o  = S q / sqrt(d)        what is asked             q and k have length 1
 *
 * With beta = 1 and no forgetting S k is then exactly v, whatever it was before; plain linear
 * attention, S + v k^T, would answer with the sum of both.
 *
 * Several heads of values may share one head of keys.  Memory (state.h): the states of the three
 * convolutions, then S of each head, a row for each number of a value, sixteen rows in a strip (recurrence.h).
 *
 * Invariant: what a token gets depends on its own sequence alone, to the bit.
 * Source   Yang et al. 2024, arXiv:2412.06464, eq. 10 (Gated DeltaNet); Schlag et al. 2021, arXiv:2102.11174 (the
 *          delta rule); Kimi Team 2025, arXiv:2510.26692, eq. 1 (KDA).
 * Tutorial docs/layer4/delta.md */
#ifndef STRATA_MIXER_DELTA_H
#define STRATA_MIXER_DELTA_H

#include "short_conv.h"

enum { DELTA_DIM = 512 }; /* numbers of a head, at most */

typedef struct DeltaNet {
    Linear q, k, v; /* (keys * d, dim) twice, (heads * d, dim) */
    ShortConv q_conv, k_conv, v_conv;
    /* how much is forgotten: exp(a * softplus(map + bias)); a map of its own, or by way of few numbers */
    Linear decay_a, decay; /* (rank, dim) or not there; (heads or heads * d, dim or rank) */
    Linear beta;           /* (heads, dim) */
    Linear
        both; /* or (2 heads, dim): for each head of keys its betas, then its decays; Qwen3-Next */
    const float *a;       /* (heads) below 0 */
    const float *dt_bias; /* as many as `decay` has rows */
    Linear gate_a, gate;  /* z, by way of few numbers or not */
    Norm norm;            /* of each head */
    Linear out;           /* (dim, heads * d) */
    size_t d, keys, heads;
    bool tiled; /* head h of values goes with head h % keys of keys, not h / (heads / keys) */
    bool per_channel;  /* each number of k is forgotten by itself */
    bool sigmoid_gate; /* or silu */
    float eps;         /* no length of q or k counts as less */
} DeltaNet;

/* Numbers of its state. */
size_t delta_state(const DeltaNet *delta);

/* How wide those of a model are, at most. */
typedef struct DeltaSizes {
    size_t dim, k, v, decay, heads, rank;
} DeltaSizes;

/* Grow sizes to what this one needs. */
void delta_sizes_include(DeltaSizes *sizes, const DeltaNet *delta);

/* Working memory for up to so many tokens. */
typedef struct DeltaRun {
    float *in;     /* (rows, v) before a convolution */
    float *q, *k;  /* (rows, keys * d) */
    float *v;      /* (rows, heads * d) */
    float *z;      /* the same */
    float *decay;  /* (rows, heads or heads * d) */
    float *beta;   /* (rows, heads), or both: (rows, 2 heads) */
    float *rank;   /* (rows, rank) */
    float *y;      /* (rows, heads * d) */
    void *scratch; /* of the products */
} DeltaRun;

void delta_run_init(DeltaRun *run, size_t rows, const DeltaSizes *sizes, Arena *arena);

/* One token of one head: some rows of the memory move on and are asked.  Rows do not know of each other.
 *
 *   after    the rows with this token; may be before
 *   before   (rows / 16 rounded up, d, 16): row j, number i lies at j / 16 * 16 d + 16 i + j % 16
 *   d        numbers of a key
 *   rows     numbers of a value: all d, or some that begin a strip
 *   decay    (d) what stays of each number of a key
 *   q, k     (d)
 *   v        (rows)
 *   out      (rows) o above, but for 1 / sqrt(d)
 *
 * Needs    d, rows <= DELTA_DIM.
 * Cost     7 d flops a row; reads before twice, writes after once. */
void delta_step(float *after, const float *before, size_t d, size_t rows, const float *decay,
                float beta, const float *q, const float *k, const float *v, float *out);

/* out (count, dim) = the mixer for each row of x (count, dim); the states of layer `layer` move on. */
void delta_forward(Pool *pool, const DeltaNet *delta, DeltaRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out);

#endif
