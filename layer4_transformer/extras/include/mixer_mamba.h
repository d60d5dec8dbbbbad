/* mixer_mamba.h - state-space models as a part of a block: Mamba 1 and Mamba 2.
 *
 *     x --> in --+--> conv, silu --> the state moves on, and is read --+--> * --> out
 *                +--> z -------------------------------> silu(z) ------+
 *
 * Instead of keeping every token, a channel keeps n numbers and changes them a little with each:
 *
 *     S <- exp(dt A) S + dt x B        what is forgotten, what comes in     S, A, B, C: n numbers each
 *     y  = S . C + D x                 what is asked
 *
 * dt > 0 says how much this token matters, B where it is written and C what is asked; all three are
 * computed from the token, which is what "selective" means.  A < 0 is learned.
 *
 *                 Mamba 1 (mixer_mamba.c)                Mamba 2 (mixer_mamba2.c)
 *     channels    each with a dt and n rates A           in heads: one dt and one rate A for a head
 *     dt, B, C    from x behind the convolution          from `in`, and B, C through the convolution
 *     B, C        one for all                            one for a group of heads
 *     norm        none; or of dt, B and C                of y * silu(z), each group by itself
 *
 * Memory (state.h): the convolution's state, then S as (inner, n), of Mamba 2 each head's rows in strips
 * (recurrence.h): the same for 100 tokens or a million.
 *
 * Invariant: what a token gets depends on its own sequence alone, to the bit.
 * Source   Gu & Dao 2023, arXiv:2312.00752, algorithm 2 (Mamba 1); Dao & Gu 2024, arXiv:2405.21060,
 *          sec. 7 (Mamba 2).
 * Tutorial docs/layer4/mamba.md */
#ifndef STRATA_MIXER_MAMBA_H
#define STRATA_MIXER_MAMBA_H

#include "short_conv.h"

enum { MAMBA_STATE = 512 }; /* numbers of a channel's state, at most */

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
    Linear x;                     /* (rank + 2 n, inner): dt, B, C; not there: Mamba 2 */
    Linear dt;                    /* (inner, rank), with dt_bias */
    Norm dt_norm, b_norm, c_norm; /* or none */

    /* Mamba 2 */
    size_t heads, groups;
    Norm norm; /* or none */
} Mamba;

/* Numbers of its state. */
size_t mamba_state(const Mamba *mamba);

/* How wide the state-space layers of a model are, at most. */
typedef struct MambaSizes {
    size_t dim, in, channels, inner, projected, rank;
} MambaSizes;

/* Grow sizes to what this one needs. */
void mamba_sizes_include(MambaSizes *sizes, const Mamba *mamba);

/* Working memory for up to so many tokens. */
typedef struct MambaRun {
    float *in;        /* (rows, in) */
    float *x;         /* (rows, channels) behind the convolution */
    float *projected; /* (rows, rank + 2 n) dt, B, C of Mamba 1 */
    float *rank;      /* (rows, rank) */
    float *dt;        /* (rows, inner) */
    float *y;         /* (rows, inner) */
    void *scratch;    /* of the products */
} MambaRun;

void mamba_run_init(MambaRun *run, size_t rows, const MambaSizes *sizes, Arena *arena);

/* out (count, dim) = the mixer for each row of x (count, dim); the states of layer `layer` move on. */
void mamba_forward(Pool *pool, const Mamba *mamba, MambaRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out);
void mamba2_forward(Pool *pool, const Mamba *mamba, MambaRun *run, const KvCache *kv,
                    size_t layer, const Batch *batch, const float *x, float *out);

#endif
