/* mixer_rwkv.h - RWKV 7 as parts of a block: the time mix, a memory that is corrected where the token says, and
 * the channel mix, a network that reads a token and the one before it.
 *
 *     x --> shift --+--> r, k, v --> the memory moves on, and is asked --> norm of each head --> * --> out
 *                   +--> w, a, g        (how much stays, how fast it learns, the gate) ----------+
 *
 * Shift: what r, k, v, w, a and g are made of lies between a token and its predecessor, each number
 * somewhere else, x + (x[t-1] - x) mu, with a mu for each of the six.
 *
 * A head remembers with one matrix S, which answers a key with a value, as in mixer_delta.h; but
 * how much is forgotten (w) and how much is corrected (a) is said for each number of a key:
 *
 *     S <- S diag(w) - (S k') (k' * a)^T + v k^T       k' = k kk, of length 1: where it is corrected
 *     o  = S r                                         k  = k (1 + (a - 1) ka): what is written
 *
 * With w, a and k one number each this is the delta rule.  All of w, a, g come by way of few numbers:
 *
 *     w = exp(-0.606531 sigmoid(w0 + W2 tanh(W1 x)))   0.606531 = e^-0.5: w stays above 0.545
 *     a = sigmoid(a0 + A2 A1 x)      g = G2 sigmoid(G1 x)
 *     v = v + (v of the first layer - v) sigmoid(v0 + V2 V1 x)       in all layers but the first
 *
 * What is asked is normed for each head (group normalization), has its own key asked beside, (r . k rk) v, and
 * passes the gate.  The channel mix is down relu(up shift(x))^2.
 *
 * Memory (state.h): the last row of x before either shift, and S of each head, a
 * row for each number of a value, sixteen rows in a strip (recurrence.h).
 *
 * Invariant: what a token gets depends on its own sequence alone, to the bit.
 * Source   Peng et al. 2025, arXiv:2503.14456 (RWKV-7), sec. 4. */
#ifndef STRATA_MIXER_RWKV_H
#define STRATA_MIXER_RWKV_H

#include "batch.h"
#include "state.h"

enum { RWKV_DIM = 512 }; /* numbers of a head, at most */

/* In the order of the file's rows of mu. */
enum { RWKV_R, RWKV_W, RWKV_K, RWKV_V, RWKV_A, RWKV_G, RWKV_MIXES };

/* A map by way of few numbers: up (down x) + bias. */
typedef struct RwkvMap {
    Linear down, up;   /* (rank, dim), (dim, rank) */
    const float *bias; /* (dim); NULL: none */
} RwkvMap;

typedef struct Rwkv {
    Linear r, k, v, out;       /* (dim, dim) */
    RwkvMap w, a, g, value;    /* value: how much of the first layer's; not used in the first */
    const float *mu;           /* (6, dim) */
    const float *kk, *ka, *rk; /* (dim) */
    Norm norm;                 /* of each head, with gains and biases of its own */
    Norm channel_norm;         /* before the channel mix */
    const float *channel_mu;   /* (dim) */
    Linear channel_up, channel_down; /* (hidden, dim), (dim, hidden) */
    size_t d, heads;
    bool first; /* its values are those that later layers mix in */
} Rwkv;

/* Numbers of its state. */
size_t rwkv_state(const Rwkv *rwkv);

/* How wide those of a model are, at most. */
typedef struct RwkvSizes {
    size_t dim, rank, hidden;
} RwkvSizes;

/* Grow sizes to what this one needs. */
void rwkv_sizes_include(RwkvSizes *sizes, const Rwkv *rwkv);

/* Working memory for up to so many tokens. */
typedef struct RwkvRun {
    float *mixed;     /* (6, rows, dim) between a token and its predecessor */
    float *r, *k, *v; /* (rows, dim) */
    float *w, *a, *g; /* (rows, dim) */
    float *kk;        /* (rows, dim) */
    float *first;     /* (rows, dim) values of the first layer, until the batch is through */
    float *rank;      /* (rows, rank) */
    float *hidden;    /* (rows, hidden) */
    float *y;         /* (rows, dim) */
    void *scratch;    /* of the products */
} RwkvRun;

void rwkv_run_init(RwkvRun *run, size_t rows, const RwkvSizes *sizes, Arena *arena);

/* One token of one head: the memory moves on and is asked.
 *
 *   after    the memory with this token; may be before
 *   before   (d / 16 rounded up, d, 16): row i, number j lies at i / 16 * 16 d + 16 j + i % 16
 *   w        (d) what stays of each number of a key
 *   kk, a    (d) where it is corrected, and how much
 *   out      (d) o above
 *
 * Cost     9 d^2 flops; reads before twice, writes after once. */
void rwkv_step(float *after, const float *before, size_t d, const float *w, const float *kk,
               const float *a, const float *r, const float *k, const float *v, float *out);

/* out (count, dim) = the time mix, or the channel mix, for each row of x (count, dim); the states of layer
 * `layer` move on.  Layers of one batch go in order: the first one's values are mixed into all others. */
void rwkv_time_mix(Pool *pool, const Rwkv *rwkv, RwkvRun *run, const KvCache *kv, size_t layer,
                   const Batch *batch, const float *x, float *out);
void rwkv_channel_mix(Pool *pool, const Rwkv *rwkv, RwkvRun *run, const KvCache *kv,
                      size_t layer, const Batch *batch, const float *x, float *out);

#endif
