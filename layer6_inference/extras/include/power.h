/* power.h - a text drawn with a probability in proportion to p(text)^a: power sampling.
 *
 *     now        Once upon a time | there was a fox. He ...
 *     proposal   Once upon a time | a storm came over ...      cut anywhere, and draw again
 *
 * A low temperature sharpens each choice by itself: it prefers the likeliest next word, even if
 * all that can follow it is unlikely.  p^a sharpens whole texts.  It cannot be drawn token by
 * token, but the Metropolis-Hastings algorithm needs only the ratio of two texts: propose a
 * new ending, drawn at the temperature 1 / a, and accept it with probability
 *
 *     min(1, p(new)^a q(old ending) / (p(old)^a q(new ending)) * cuts(old) / cuts(new))
 *
 * With a constraint p is the model's own, over the texts that obey it.  So a = 1 undoes what a
 * mask distorts, as particles do (particles.h).
 *
 * Invariant: with a single block the distribution is p^a in the limit of many moves
 * [whole_texts_are_sharpened].
 * Source   Karan & Du 2025, arXiv:2510.14901; Metropolis et al. 1953, Hastings 1970. */
#ifndef STRATA_POWER_H
#define STRATA_POWER_H

#include "beam.h"

typedef struct PowerOptions {
    double power; /* a, above 0 */
    size_t moves; /* proposals per block */
    /* after so many tokens come the moves, and then the next block; 0: one block.  A text that
     * has ended after its moves gets no further block, as in the paper's code */
    size_t block;
    uint64_t seed;    /* without moves and with a = 1 the text is that of generate */
    TextOptions text; /* rules: stages that only forbid tokens, such as a grammar, and `draw` */
} PowerOptions;

typedef struct PowerResult {
    TokenList tokens; /* as in BeamText */
    double log_prob;  /* under the model, of all tokens, the ending one included */
    StopReason reason;
    size_t proposed, accepted; /* moves */
    size_t drawn;              /* tokens, those of rejected endings included */
} PowerResult;

/* Draw a text.  The session needs two sequences; its contents are lost.  Free result->tokens,
 * even after a failure.
 *
 * Fails when the prompt is empty or does not fit, and when the first text is a dead end. */
bool power_draw(Session *session, const int32_t *prompt, size_t n, const PowerOptions *options,
                PowerResult *result, Fault *fault);

#endif
