/* speculate.h - several tokens for one reading of the model: a cheap guess, checked by the model in
 * one batch.
 *
 *     draft      x1 x2 x3 x4          each drawn from q, what the chain makes of the draft's logits
 *     model      p  p  p  p  p        one batch: what the chain makes of its own logits, after each of them
 *     accept     x1 with chance min(1, p(x1) / q(x1)), and so on until one is refused; that one is drawn again
 *                from max(0, p - q); if all are accepted, one more comes for free
 *
 * Invariant: whatever the draft guesses, a token comes with the probability p; with a greedy chain
 * the text is the same to the bit as without a draft.
 * Source   Leviathan, Kalman & Matias 2022, arXiv:2211.17192, algorithm 1; Chen et al. 2023, arXiv:2302.01318. */
#ifndef STRATA_SPECULATE_H
#define STRATA_SPECULATE_H

#include "chain.h"

enum { SPECULATE_MOST = 24 }; /* tokens in a guess */

typedef struct Speculation {
    Session *draft; /* NULL: guess by looking up what followed the same words before */
    size_t length;  /* tokens in a guess */
    size_t rounds, guessed, accepted; /* counts, added to */
} Speculation;

/* The chance that a guess is accepted. */
double speculate_accept_chance(const float *p, const float *q, int32_t token);

/* out = max(0, p - q), normalized: where a refused token is drawn from; p itself when p = q. */
void speculate_residual(const float *p, const float *q, size_t n, float *out);

/* The tokens that followed the last occurrence of the text's last words, up to `most`: 3 words
 * that agree, else 2, else 1.  Returns how many. */
size_t speculate_lookup(const int32_t *tokens, size_t n, size_t most, int32_t *guess);

#endif
