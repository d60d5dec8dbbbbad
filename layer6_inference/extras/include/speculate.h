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
 * some tokens before it are evaluated again [drawn_speculation_has_the_same_distribution,
 * greedy_speculation_is_plain_decoding].
 *
 * Where q is 1 for one token, nothing needs to be divided: at each drafted token the chain
 * chooses as usual, and the pass continues while it chooses the drafted one, which it does with
 * probability p.  So every text, sampled ones included, is the same as without a draft.  This
 * also verifies a draft model under a chain whose distribution cannot be read off (mirostat,
 * adaptive_p, skew), and drafts with leaves: the draft is then chosen with the same uniform
 * samples.
 *
 * Source   Leviathan, Kalman & Matias 2022, arXiv:2211.17192, algorithm 1; Chen et al. 2023,
 *          arXiv:2302.01318; with the same uniform samples: Daliri, Musco & Suresh 2024,
 *          arXiv:2408.07978. */
#ifndef STRATA_SPECULATE_H
#define STRATA_SPECULATE_H

#include "generate.h"
#include "suffix_store.h"

enum { SPECULATE_MAX = 24 /* tokens in a draft */, LEAVES_MAX = 3 };

/* How drafts are made: a row of draft_kinds.
 *
 *     draft_model    by a draft model or draft head
 *     draft_lookup   what followed the text's last words before
 *     draft_suffix   what most often followed its longest known end, here and in earlier texts
 *     draft_jacobi   the model's own guesses of the pass before
 *     draft_forced   what the chain's grammar forces */
typedef struct Draft Draft;
typedef struct DraftKind {
    const char *name, *gloss; /* one line */
    /* Draft up to `room` tokens from what was read; returns how many.  NULL: a draft model
     * drafts. */
    size_t (*draft)(Sequence *sequence, int32_t *tokens, size_t room);
    /* or NULL: before the first draft, after each that was verified, and at the end */
    bool (*open)(Draft *draft, Sequence *sequence, Fault *fault);
    void (*seen)(Sequence *sequence);
    void (*close)(Draft *draft);
} DraftKind;
extern const DraftKind draft_model, draft_lookup, draft_suffix, draft_jacobi, draft_forced;
extern const DraftKind *const draft_kinds[]; /* ends with NULL */

/* The kind with this name ("lookup"); NULL: no such kind. */
const DraftKind *draft_find(const char *name);

typedef struct Speculation {
    const DraftKind *kind; /* NULL: draft_model with a draft model, else draft_lookup */
    Session *draft;        /* of the draft model; NULL: none */
    SuffixStore *past;     /* of draft_suffix: shared with earlier texts; NULL: its own */
    size_t length;         /* tokens in a draft */
    size_t leaves; /* other candidates for each token of a draft model's, verified in forks of
                    * the text while the session has unused sequences; 0: a plain draft */
    size_t rounds, drafted, accepted; /* counters, added to */
} Speculation;

/* Generate with drafts.  Not with token healing or banned texts; with a second model or text
 * for the chain, its sessions need room for their drafts' rows, too. */
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
