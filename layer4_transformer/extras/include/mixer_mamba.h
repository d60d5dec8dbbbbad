/* mixer_mamba.h - state-space models: Mamba 1 and Mamba 2.
 *
 *     x --> in --+--> conv, silu --> state update, read --+--> * --> out
 *                +--> z ------------------> silu(z) ------+
 *
 * Instead of storing every token, a channel has n state numbers that each token changes a
 * little:
 *
 *     S <- exp(dt A) S + dt x B        forget, write        S, A, B, C: n numbers each
 *     y  = S . C + D x                 read
 *
 * dt > 0 is how much this token matters, B where it writes, C where it reads.  All three are
 * computed from the token: that is what "selective" means.  A < 0 is learned.
 *
 *                 Mamba 1 (mixer_mamba.c)             Mamba 2 (mixer_mamba2.c)
 *     channels    each with a dt and n rates A        in heads: one dt and one A for a head
 *     dt, B, C    from x after the convolution        from `in`; B, C convolved, too
 *     B, C        one for all                         one for each group of heads
 *     norm        none; or of dt, B and C             of y * silu(z), each group by itself
 *
 * State (state.h): the convolution's, then S as (inner, n); in Mamba 2 each head's rows in
 * strips (recurrence.h).  The size is the same after 100 tokens or a million.
 *
 * Invariant: a token's output depends only on its own sequence, to the bit
 * [neighbours_change_no_bit, pieces_change_no_bit].
 * Source   Gu & Dao 2023, arXiv:2312.00752, algorithm 2 (Mamba 1); Dao & Gu 2024,
 *          arXiv:2405.21060, sec. 7 (Mamba 2).
 * Tutorial docs/layer4/mamba.md */
#ifndef STRATA_MIXER_MAMBA_H
#define STRATA_MIXER_MAMBA_H

#include "short_conv.h"

enum { MAMBA_STATE = 512 }; /* max numbers of a channel's state */

typedef struct Mamba {
    /* (2 inner, dim): x, z;   Mamba 2 (2 inner + 2 groups n + heads, dim): z, x, B, C, dt */
    Linear in;
    Linear out; /* (dim, inner) */
    ShortConv conv;
    const float *a;       /* (inner, n);  Mamba 2 (heads) */
    const float *d;       /* (inner);     Mamba 2 (heads) */
    const float *dt_bias; /* the same */
    size_t inner, n;

    /* Mamba 1 */
    Linear x;                     /* (rank + 2 n, inner): dt, B, C; none: Mamba 2 */
    Linear dt;                    /* (inner, rank), with dt_bias */
    Norm dt_norm, b_norm, c_norm; /* or none */

    /* Mamba 2 */
    size_t heads, groups;
    Norm norm; /* or none */
} Mamba;

/* Floats of its state. */
size_t mamba_state(const Mamba *mamba);

/* The largest of a model. */
typedef struct MambaSizes {
    size_t dim, in, channels, inner, projected, rank;
} MambaSizes;

/* Grow sizes to fit this one. */
void mamba_sizes_include(MambaSizes *sizes, const Mamba *mamba);

/* Working memory for up to `rows` tokens. */
typedef struct MambaRun {
    float *in;        /* (rows, in) */
    float *x;         /* (rows, channels) after the convolution */
    float *projected; /* (rows, rank + 2 n) dt, B, C of Mamba 1 */
    float *rank;      /* (rows, rank) */
    float *dt;        /* (rows, inner) */
    float *y;         /* (rows, inner) */
    void *scratch;    /* for the products */
} MambaRun;

void mamba_run_init(MambaRun *run, size_t rows, const MambaSizes *sizes, Arena *arena);

/* out (count, dim) = the mixer for each row of x (count, dim); updates the states of
 * `layer`. */
void mamba_forward(Pool *pool, const Mamba *mamba, MambaRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out);
void mamba2_forward(Pool *pool, const Mamba *mamba, MambaRun *run, const KvCache *kv,
                    size_t layer, const Batch *batch, const float *x, float *out);

#endif
