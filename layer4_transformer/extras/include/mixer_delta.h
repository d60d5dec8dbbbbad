/* mixer_delta.h - linear attention with the delta rule: a state of fixed size that is
 * corrected, not only added to.
 *
 *     x --> q, k, v --> conv, silu --> state update, read --> norm --> * --> out
 *       --> z --------------------------------> silu or sigmoid -------+
 *
 * A head's state is a matrix S that maps a key to a value, S k.  To write a new pair (k, v), it
 * reads what S has for k already and adds only the difference:
 *
 *     S <- S D                  forget     D: one decay for each head (Gated DeltaNet),
 *     u  = beta (v - S k)       error         or one for each number of k (Kimi's KDA)
 *     S <- S + u k^T            write      beta: the fraction to correct, 0 to 1
 *     o  = S q / sqrt(d)        read       q and k have length 1
 *
 * With beta = 1 and no decay, S k is then exactly v, whatever it was before; plain linear
 * attention, S + v k^T, would return the sum of both.
 *
 * Several value heads may share one key head.  State (state.h): those of the three
 * convolutions, then S of each head, a row for each number of a value, sixteen rows in a strip
 * (recurrence.h).
 *
 * Invariant: a token's output depends only on its own sequence, to the bit
 * [neighbours_change_no_bit].
 * Source   Yang et al. 2024, arXiv:2412.06464, eq. 10 (Gated DeltaNet); Schlag et al. 2021,
 *          arXiv:2102.11174 (the delta rule); Kimi Team 2025, arXiv:2510.26692, eq. 1 (KDA).
 * Tutorial docs/layer4/delta.md */
#ifndef STRATA_MIXER_DELTA_H
#define STRATA_MIXER_DELTA_H

#include "short_conv.h"

enum { DELTA_DIM = 512 }; /* max numbers of a head */

typedef struct DeltaNet {
    Linear q, k, v; /* (keys * d, dim) twice, (heads * d, dim) */
    ShortConv q_conv, k_conv, v_conv;
    /* decay = exp(a * softplus(map(x) + dt_bias)); the map is direct or low-rank */
    Linear decay_a, decay; /* (rank, dim) or none; (heads or heads * d, dim or rank) */
    Linear beta;           /* (heads, dim) */
    /* or one map for both, (2 heads, dim): for each key head betas, then decays; Qwen3-Next */
    Linear both;
    const float *a;       /* (heads) below 0 */
    const float *dt_bias; /* one for each row of `decay` */
    Linear gate_a, gate;  /* z; low-rank if gate_a is there */
    Norm norm;            /* of each head */
    Linear out;           /* (dim, heads * d) */
    size_t d, keys, heads;
    bool tiled;        /* value head h uses key head h % keys, else h / (heads / keys) */
    bool per_channel;  /* a decay for each number of k */
    bool sigmoid_gate; /* else silu */
    float eps;         /* min length of q and k */
} DeltaNet;

/* Floats of its state. */
size_t delta_state(const DeltaNet *delta);

/* The largest of a model. */
typedef struct DeltaSizes {
    size_t dim, k, v, decay, heads, rank;
} DeltaSizes;

/* Grow sizes to fit this one. */
void delta_sizes_include(DeltaSizes *sizes, const DeltaNet *delta);

/* Working memory for up to `rows` tokens. */
typedef struct DeltaRun {
    float *in;     /* (rows, k or v) before a convolution */
    float *q, *k;  /* (rows, keys * d) */
    float *v;      /* (rows, heads * d) */
    float *z;      /* the same */
    float *decay;  /* (rows, heads or heads * d) */
    float *beta;   /* (rows, heads); with `both` (rows, 2 heads) */
    float *rank;   /* (rows, rank) */
    float *y;      /* (rows, heads * d) */
    void *scratch; /* for the products */
} DeltaRun;

void delta_run_init(DeltaRun *run, size_t rows, const DeltaSizes *sizes, Arena *arena);

/* One token of one head: update some rows of the state and read them.  Rows are independent.
 *
 *   after    the updated rows; may be before
 *   before   (rows / 16 rounded up, d, 16): row j, number i at j / 16 * 16 d + 16 i + j % 16
 *   d        numbers of a key
 *   rows     numbers of a value: all d, or some from a strip's start
 *   decay    (d) factor on each number of a key
 *   q, k     (d)
 *   v        (rows)
 *   out      (rows) o above without 1 / sqrt(d)
 *
 * Needs    d, rows <= DELTA_DIM.
 * Flops    7 d a row.
 * Cost     reads before twice, writes after once [states_are_read_as_often_as_said]. */
void delta_step(float *after, const float *before, size_t d, size_t rows, const float *decay,
                float beta, const float *q, const float *k, const float *v, float *out);

/* out (count, dim) = the mixer for each row of x (count, dim); updates the states of
 * `layer`. */
void delta_forward(Pool *pool, const DeltaNet *delta, DeltaRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out);

#endif
