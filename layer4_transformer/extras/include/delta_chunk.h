/* delta_chunk.h - the delta rule for many tokens at once, by products of matrices: how models are trained, and how a
 * GPU reads prompts.  `strata bench mixers` measures it beside delta_step; the program reads with delta_step.
 *
 * What is missing at token i depends on what came in at all tokens j before it,
 *
 *     u_i = beta_i (v_i - e^(G_i) S k_i - sum_(j<i) e^(G_i - G_j) (k_i . k_j) u_j)       G_i = g_1 + ... + g_i
 *
 * with S the memory before the chunk and g the logarithm of what stays.  That is a triangular system, (1 + A) U = R, and
 * then all else is products of matrices, with K, Q, U of a row for each token:
 *
 *     S (d, d)      K S', Q S'     what the chunk finds        O = e^G Q S' + lower(Q K' e^(G_i - G_j)) U
 *     K, Q (n, d)   K K', Q K'     who meets whom              S' <- e^(G_n) S' + (K e^(G_n - G))' U
 *
 * All exponents are 0 or below.  The memory is read and written once for n tokens, and not n times.  For that a token
 * takes 6 d^2 + 4 n d flops and not 7 d^2: with n = 64 and d = 128 a seventh more.
 *
 * Why the program does not read with it: o_i is another sum here than in delta_step, so a text would have other bits when
 * it is cut elsewhere, unless every chunk began at a multiple of n and its tail were read again and again from there;
 * and delta_step, whose rows stay in the first cache from token to token, is no slower.  KDA's decays, one for each
 * number of a key, do not come out of K K', but as e^G K and e^-G K, which is above any float when much is forgotten.
 *
 * Invariant: the same as delta_step, token by token, but for rounding.
 * Source   Yang et al. 2024, arXiv:2406.06484, sec. 3; arXiv:2412.06464, sec. 3.3 (with decay).
 * Tutorial docs/layer4/delta.md */
#ifndef STRATA_DELTA_CHUNK_H
#define STRATA_DELTA_CHUNK_H

#include "nn.h"

enum { DELTA_CHUNK = 64 }; /* tokens at once, at most */

/* `count` tokens of one head.
 *
 *   state    (d, d) moves on; here with a row for each number of a key (S')
 *   rate     (count) 0 or below: e^rate is what stays
 *   beta     (count) 0 to 1
 *   q, k     (count, d)
 *   v        (count, d)
 *   out      (count, d) o of mixer_delta.h, but for 1 / sqrt(d)
 *   scratch  delta_chunk_floats(d)
 *
 * Needs    count <= DELTA_CHUNK. */
void delta_chunk(float *state, size_t d, size_t count, const float *rate, const float *beta,
                 const float *q, const float *k, const float *v, float *out, float *scratch);
size_t delta_chunk_floats(size_t d);

#endif
