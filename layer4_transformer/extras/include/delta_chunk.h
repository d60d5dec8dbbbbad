/* delta_chunk.h - the delta rule for many tokens at once, by matrix products: how models are
 * trained, and how a GPU evaluates prompts.  `strata bench mixers` measures it against
 * delta_step, which the program uses.
 *
 * The error u_i at token i depends on those of all tokens j before it,
 *
 *     u_i = beta_i (v_i - e^(G_i) S k_i - sum_(j<i) e^(G_i - G_j) (k_i . k_j) u_j)
 *
 * where S is the state before the chunk, g the logarithm of the decay and G_i = g_1 + ... +
 * g_i.  That is a triangular system, (1 + A) U = R; the rest is matrix products, with K, Q, U
 * of a row for each token:
 *
 *     S (d, d)      K S', Q S'     read before the chunk
 *     K, Q (n, d)   K K', Q K'     all pairs of tokens
 *                   O = e^G Q S' + lower(Q K' e^(G_i - G_j)) U
 *                   S' <- e^(G_n) S' + (K e^(G_n - G))' U
 *
 * No exponent is above 0.  The state is read and written once for n tokens, not n times; a
 * token takes 6 d^2 + 4 n d flops instead of 7 d^2 (n = 64, d = 128: a seventh more).
 *
 * The program does not use it, for three reasons.  o_i is another sum than in delta_step, so a
 * prompt split elsewhere would give other bits, unless every chunk began at a multiple of n.
 * delta_step, whose rows stay in L1 from token to token, is no slower.  And KDA's decays, one
 * for each number of a key, need e^G K and e^-G K, which overflows when much is forgotten.
 *
 * Invariant: the same as delta_step, token by token, up to rounding
 * [both_forms_keep_the_bound].
 * Source   Yang et al. 2024, arXiv:2406.06484, sec. 3; arXiv:2412.06464, sec. 3.3 (with decay).
 * Tutorial docs/layer4/delta.md */
#ifndef STRATA_DELTA_CHUNK_H
#define STRATA_DELTA_CHUNK_H

#include "nn.h"

enum { DELTA_CHUNK = 64 }; /* max tokens at once */

/* `count` tokens of one head.
 *
 *   state    (d, d) updated; a row for each number of a key (S')
 *   rate     (count) <= 0: the logarithm of the decay
 *   beta     (count) 0 to 1
 *   q, k     (count, d)
 *   v        (count, d)
 *   out      (count, d) o of mixer_delta.h without 1 / sqrt(d)
 *   scratch  delta_chunk_floats(d)
 *
 * Needs    count <= DELTA_CHUNK. */
void delta_chunk(float *state, size_t d, size_t count, const float *rate, const float *beta,
                 const float *q, const float *k, const float *v, float *out, float *scratch);
size_t delta_chunk_floats(size_t d);

#endif
