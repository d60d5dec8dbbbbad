/* aligned.h - texts that obey, drawn again and again until the model's own odds are back:
 * adaptive sampling with approximate expected futures (ASAp).
 *
 *     draw    q(token) ~ p(token) obey(prefix + token)     obey = 1 where nothing is known
 *     learn   obey(prefix) = sum of p(token) obey(prefix + token) over the tokens the mask left
 *
 * obey(prefix) is an upper bound of the probability that a text which begins so obeys.  A mask
 * alone draws with 1 for every allowed token, so it walks into prefixes that can hardly end
 * well (page layer6/price).  Each draw lowers the bounds of its prefixes, and the next one
 * avoids what turned out to be rare.  Where all bounds are exact the draw is p(text) / P, the
 * model's own distribution given that it obeys, and obey(prompt) is P.
 *
 * The prefixes are nodes of a trie, of 16 bytes.  When it is full no prefix is added: what
 * begins with another one is drawn by the mask alone.  All bounds stay bounds.
 *
 * Invariant: the bounds never rise, and the mean weight p / q over all draws, 0 for a dead end,
 * is unbiased for P [the_bound_falls_to_p, weights_are_unbiased].
 * Source   Park et al. 2024, arXiv:2405.21047. */
#ifndef STRATA_ALIGNED_H
#define STRATA_ALIGNED_H

#include "beam.h"

enum { ALIGNED_PREFIXES = 1 << 20 };

/* A draw, as it is reported. */
typedef struct AlignedText {
    size_t number; /* from 1 */
    size_t tokens;
    double log_prob;   /* under the model, of all tokens, the ending one included */
    double log_weight; /* ln p / q; -infinity: a dead end */
    double log_bound;  /* ln obey(prompt) after this draw */
    StopReason reason;
} AlignedText;

typedef void OnAligned(void *context, const AlignedText *text);

typedef struct AlignedOptions {
    size_t texts;     /* draws; the last one is the result */
    size_t prefixes;  /* of the trie, at most; 0: ALIGNED_PREFIXES */
    uint64_t seed;    /* draw i, from 0, has seed + i; the first one is the text of generate */
    TextOptions text; /* rules: stages that only forbid tokens, such as a grammar, and `draw` */
    OnAligned *on_text; /* called after each draw; or NULL */
    void *context;      /* of on_text */
} AlignedOptions;

typedef struct AlignedResult {
    TokenList tokens;  /* of the last draw that was no dead end; as in BeamText */
    StopReason reason; /* its end; or the time limit, or the caller */
    double log_bound;  /* ln obey(prompt): ln P or more */
    double log_share;  /* ln of the mean weight: ln P, estimated */
    size_t texts;      /* draws, dead ends included */
    size_t dead_ends;  /* draws that could not go on */
    size_t cut;        /* draws that a limit ended; they count as if they obeyed */
    size_t prefixes;   /* in the trie */
    size_t drawn;      /* tokens of all draws */
} AlignedResult;

/* Draw `texts` texts, one after another.  The session needs two sequences; its contents are
 * lost.  Free result->tokens, even after a failure.  A draw that the time limit or the caller
 * interrupts is dropped, unless it is the first.
 *
 * Fails when the prompt is empty or does not fit, and when all draws are dead ends. */
bool aligned_draw(Session *session, const int32_t *prompt, size_t n,
                  const AlignedOptions *options, AlignedResult *result, Fault *fault);

#endif
