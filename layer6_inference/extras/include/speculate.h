/* speculate.h - speculative decoding: several tokens per forward pass, by verifying a cheap
 * draft in one batch.
 *
 *     draft      x1 x2 x3 x4       each drawn from q: the draft model's logits after the chain
 *     verify     p  p  p  p  p     one batch: the model's own logits after the chain, at each
 *     accept     x1 with probability min(1, p(x1) / q(x1)), and so on until one is rejected;
 *                that one is drawn again from max(0, p - q); if all are accepted, one more
 *                comes for free
 *
 * Invariant: whatever is drafted, a token is generated with probability p; with a greedy chain
 * the text is the same to the bit as without a draft.  A rejected draft is rolled back: at once
 * with attention, and in recurrent models whose session was opened with rewind = length; else
 * some tokens before it are evaluated again.  A draft of forced tokens is verified differently:
 * at each of its tokens the chain chooses as usual, and continues while it chooses the drafted
 * token.  So every text, sampled ones included, is the same as without.
 *
 * Source   Leviathan, Kalman & Matias 2022, arXiv:2211.17192, algorithm 1; Chen et al. 2023,
 *          arXiv:2302.01318. */
#ifndef STRATA_SPECULATE_H
#define STRATA_SPECULATE_H

#include "generate.h"

enum { SPECULATE_MAX = 24 }; /* tokens in a draft */

typedef struct Speculation {
    Session *draft;                   /* of the draft model; NULL: prompt lookup */
    size_t length;                    /* tokens in a draft */
    bool forced;                      /* draft only what the chain's grammar forces */
    size_t rounds, drafted, accepted; /* counters, added to */
} Speculation;

/* Generate with drafts.  Not with a second model or text for the chain, or token healing. */
void with_draft(GenerateOptions *options, Speculation *speculation);

/* The probability that a drafted token is accepted: min(1, p / q) of it; 1 where q is 0.
 *
 *   p, q     (vocab) probabilities of the model and of the draft
 *
 * Tutorial layer6/speculative.html */
double speculate_accept_prob(const float *p, const float *q, int32_t token);

/* out = max(0, p - q), normalised: where a rejected token is drawn from again.  If p is nowhere
 * above q: p.
 *
 *   p, q, out   (n); out is neither of the others */
void speculate_residual(const float *p, const float *q, size_t n, float *out);

/* Prompt lookup: the tokens that followed the last occurrence of the text's last 3, else 2,
 * else 1 tokens, up to `max`.  Returns how many. */
size_t speculate_lookup(const int32_t *tokens, size_t n, size_t max, int32_t *draft);

#endif
