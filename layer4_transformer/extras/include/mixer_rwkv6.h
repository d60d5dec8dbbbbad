/* mixer_rwkv6.h - the time mix of RWKV 6, and that of QRWKV 6: linear attention with a decay
 * for each number of a key, computed from the token.  RWKV 6:
 *
 *     x --> shift --+--> r, k, v --> read, state update --> norm of each head --> * --> out
 *                   +--> w (decay) -------^                                       ^
 *                   +--> g (gate) ------------------------------------------------+
 *
 * Shift: as in RWKV 7 (mixer_rwkv.h), but how much of the token before is mixed in depends on
 * the token, by a low-rank map for each of w, k, v, r and g:
 *
 *     x' = x[t] + (x[t-1] - x[t]) mu
 *     x_j = x[t] + (x[t-1] - x[t]) (mu_j + U_j tanh(D_j x'))
 *
 * A head's state S maps a key to a value.  The token's own pair is read with a weight u for
 * each number of a key (the bonus), and then written:
 *
 *     o <- S r + (r . k u) v          w = exp(-exp(w0 + W2 tanh(W1 x)))
 *     S <- S diag(w) + v k^T          g = silu(G x)
 *
 * QRWKV 6 writes first, and keeps the size of keys and of what is read; it has no norm, and
 * fewer heads of keys and values may serve several of r (grouped, as in attention):
 *
 *     S <- S diag(w) + v (k (1 - w))^T
 *     o <- S r / sqrt(d)              g = sigmoid(G x)
 *
 * (Its class also keeps w above e^-5; llama.cpp does not, and neither does this.)
 *
 * Source   Peng et al. 2024, arXiv:2404.05892 (RWKV-6, "Finch"), sec. 4; QRWKV 6: the class
 *          RWKV6Qwen2ForCausalLM of its model card (recursal/QRWKV6-32B-Instruct-Preview-v0.1)
 *          and Yang et al. 2023, arXiv:2312.06635 (gated linear attention). */
#ifndef STRATA_MIXER_RWKV6_H
#define STRATA_MIXER_RWKV6_H

#include "linear.h"

/* The order of the file's rows of mu, and of the maps. */
enum { RWKV6_W, RWKV6_K, RWKV6_V, RWKV6_R, RWKV6_G, RWKV6_MIXES };

typedef struct Rwkv6 {
    const float *mu;               /* (dim) of x' */
    const float *mus[RWKV6_MIXES]; /* (dim) each */
    Linear down, up;               /* (5 rank, dim) D; (5, dim, rank) U */
    Linear gate;                   /* (dim, dim) G */
    const float *bonus;            /* (heads, d) u; NULL: QRWKV 6 */
    size_t kv_heads;               /* heads of k and v */
} Rwkv6;

/* One token of one head: update the state and read it.
 *
 *   after    the updated state; may be before
 *   before   (d / 16 rounded up, d, 16): row i, number j at i / 16 * 16 d + 16 j + i % 16
 *   w        (d) decay of each number of a key
 *   u        (d) bonus: read before the update; NULL: read after it
 *   out      (d) o above, not scaled
 *
 * Flops    7 d^2; without u 5 d^2.
 * Cost     reads before twice, without u once; writes after once
 *          [states_are_read_as_often_as_said]. */
void rwkv6_step(float *after, const float *before, size_t d, const float *w, const float *u,
                const float *r, const float *k, const float *v, float *out);

#endif
