/* speculate.h - speculative decoding: several tokens per forward pass of the model, which
 * verifies a cheap draft in one batch.
 *
 *     draft      x1 x2 x3 x4          each drawn from q: the draft model's logits after the chain
 *     verify     p  p  p  p  p        one batch: the model's own logits after the chain, at each of them
 *     accept     x1 with probability min(1, p(x1) / q(x1)), and so on until one is rejected; that one is
 *                drawn again from max(0, p - q); if all are accepted, one more comes for free
 *
 * Invariant: whatever is drafted, a token is generated with probability p; with a greedy chain
 * the text is the same to the bit as without a draft.  A rejected draft is taken back: at once
 * where only attention remembers, and in recurrent models whose sessions were opened with
 * rewind = length; else some tokens before it are read again.  A draft of forced tokens is
 * verified otherwise: at each of its tokens the chain chooses as ever, and goes on for as long
 * as it chooses what was drafted.  So all texts are the same as without, drawn ones, too.
 *
 * Source   Leviathan, Kalman & Matias 2022, arXiv:2211.17192, algorithm 1; Chen et al. 2023,
 * arXiv:2302.01318. */
#ifndef STRATA_SPECULATE_H
#define STRATA_SPECULATE_H

#include "generate.h"

enum { SPECULATE_MAX = 24 }; /* tokens in a draft */

typedef struct Speculation {
    Session *draft; /* of the draft model; NULL: look up what followed the same words before */
    size_t length;  /* tokens in a draft */
    bool forced; /* draft what the chain's grammar leaves no choice about, and nothing else */
    size_t rounds, drafted, accepted; /* counts, added to */
} Speculation;

/* A text is generated with drafts.  Not with a second model or text for the chain, or a healed
 * prompt. */
void with_draft(GenerateOptions *options, Speculation *speculation);

/* The probability that a drafted token is accepted: min(1, p / q) of it; 1 where q is 0.
 *
 *   p, q     (vocab) what the model says, and what the draft was drawn from: probabilities
 *
 * Tutorial layer6/speculative.html */
double speculate_accept_prob(const float *p, const float *q, int32_t token);

/* out = max(0, p - q), made to sum to 1: where a refused token is drawn from.  Where p is
 * nowhere above q: p.
 *
 *   p, q, out   (n); out is neither of the others */
void speculate_residual(const float *p, const float *q, size_t n, float *out);

/* The tokens that followed the last occurrence of the text's last words, up to `max`: 3 words
 * that agree, else 2, else 1.  Returns how many. */
size_t speculate_lookup(const int32_t *tokens, size_t n, size_t max, int32_t *draft);

#endif
