/* mixer_rwkv.h - RWKV 7: the time mix, a delta rule with a rate for each number of a key, and
 * the channel mix, a network that reads a token and the one before it.
 *
 *     x --> shift --+--> r, k, v --> state update, read --> norm of each head --> * --> out
 *                   +--> w, a, g     (decay, learning rate, gate) ----------------+
 *
 * Shift: the inputs of r, k, v, w, a and g interpolate between a token and its predecessor,
 * x[t] + (x[t-1] - x[t]) mu, with a mu (dim) for each of the six.
 *
 * A head's state is a matrix S that maps a key to a value, as in mixer_delta.h; but decay (w)
 * and correction (a) differ for each number of a key:
 *
 *     S <- S diag(w) - (S k') (k' * a)^T + v k^T       k' = k kk, of length 1: what is removed
 *     o  = S r                                         k  = k (1 + (a - 1) ka): what is written
 *
 * With one number each for w, a and k this is the delta rule.  w, a and g come from low-rank
 * maps:
 *
 *     w = exp(-0.606531 sigmoid(w0 + W2 tanh(W1 x)))   0.606531 = e^-0.5: w stays above 0.545
 *     a = sigmoid(a0 + A2 A1 x)      g = G2 sigmoid(G1 x)
 *     v = v + (v of the first layer - v) sigmoid(v0 + V2 V1 x)      in all layers but the first
 *
 * What S returns is normed for each head (group normalization); the token's own pair, (r . k
 * rk) v, is added; then the gate.  The channel mix is down relu(up shift(x))^2; RWKV 6
 * multiplies it by sigmoid(R shift'(x)).
 *
 * Relatives: RWKV 6 has another time mix (mixer_rwkv6.h).  Models that were distilled from a
 * transformer (ARWKV 7, QRWKV 6) keep its feed-forward network instead of the channel mix;
 * ARWKV 7 may lack the gate, with the last row of mu, and the norm.
 *
 * State (state.h): the last row of x before each shift, then S of each head, a row for each
 * number of a value, sixteen rows in a strip (recurrence.h).
 *
 * Invariant: a token's output depends only on its own sequence, to the bit
 * [neighbours_change_no_bit].
 * Source   Peng et al. 2025, arXiv:2503.14456 (RWKV-7), sec. 4. */
#ifndef STRATA_MIXER_RWKV_H
#define STRATA_MIXER_RWKV_H

#include "batch.h"
#include "mixer_rwkv6.h"
#include "state.h"

enum { RWKV_DIM = 512 }; /* max numbers of a head */

/* The order of the file's rows of mu. */
enum { RWKV_R, RWKV_W, RWKV_K, RWKV_V, RWKV_A, RWKV_G, RWKV_MIXES };

/* A low-rank map: up (down x) + bias. */
typedef struct RwkvMap {
    Linear down, up;   /* (rank, dim), (dim, rank) */
    const float *bias; /* (dim); NULL: none */
} RwkvMap;

typedef struct Rwkv {
    Linear r, k, v, out;             /* (dim, dim) */
    RwkvMap w, a, g, value;          /* value: share of the first layer's v; g: or none */
    const float *mu;                 /* (6, dim); without g (5, dim) */
    const float *kk, *ka, *rk;       /* (dim) */
    Rwkv6 six;                       /* what RWKV 6 has instead of a, g, value and kk, ka, rk */
    Norm norm;                       /* of each head, with its own gain and bias; or none */
    const float *channel_mu;         /* (dim) */
    Linear channel_up, channel_down; /* (hidden, dim), (dim, hidden); or none */
    const float *channel_gate_mu;    /* (dim) */
    Linear channel_gate;             /* (dim, dim) of RWKV 6 */
    size_t d, heads;
    bool first; /* the first layer, whose v the later ones mix in */
} Rwkv;

/* Working memory for up to `rows` tokens. */
typedef struct RwkvRun {
    float *mixed;     /* (6, rows, dim) shifted x */
    float *r, *k, *v; /* (rows, dim) */
    float *w, *a, *g; /* (rows, dim) */
    float *kk;        /* (rows, dim) */
    float *first;     /* (rows, dim) v of the first layer, during a batch */
    float *step;      /* (rows, dim) of RWKV 6: x[t-1] - x[t] */
    float *rank;      /* (rows, rank); RWKV 6: (rows, 6 rank) */
    float *hidden;    /* (rows, hidden) */
    float *y;         /* (rows, dim) */
    void *scratch;    /* for the products */
} RwkvRun;

/* One token of one head: update the state and read it.
 *
 *   after    the updated state; may be before
 *   before   (d / 16 rounded up, d, 16): row i, number j at i / 16 * 16 d + 16 j + i % 16
 *   w        (d) decay of each number of a key
 *   kk, a    (d) k' above, and how much of it is corrected
 *   out      (d) o above
 *
 * Flops    9 d^2.
 * Cost     reads before twice, writes after once [states_are_read_as_often_as_said]. */
void rwkv_step(float *after, const float *before, size_t d, const float *w, const float *kk,
               const float *a, const float *r, const float *k, const float *v, float *out);

#endif
