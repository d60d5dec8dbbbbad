/* distinct.h - k different texts, drawn without replacement: stochastic beams.
 *
 *     score of a text = ln p + its own Gumbel noise: the largest is a sample, and the k largest
 *     are k samples without replacement
 *
 *     the largest score among all texts that begin with a prefix is ln p(prefix) + Gumbel, too:
 *     so each beam draws the scores of its extensions, with the beam's as their largest, and
 *     the k best go on, as in beam search
 *
 * Beam search finds the likeliest texts, which are much alike; samples repeat themselves where
 * the model is sure.  These are random and different.
 *
 * Invariant: no two texts are equal; the first is distributed as a sample; the sum of weight *
 * f(text) is unbiased for the mean of f over all texts [texts_without_replacement,
 * all_texts_there_are].
 * Source   Kool, van Hoof & Welling 2019, arXiv:1903.06059. */
#ifndef STRATA_DISTINCT_H
#define STRATA_DISTINCT_H

#include "beam.h"

enum { DISTINCT_MAX = BEAM_MAX - 1 }; /* one more beam gives the threshold of the weights */

typedef struct DistinctOptions {
    size_t texts; /* k */
    uint64_t seed;
    TextOptions text; /* rules: p is what these stages leave; the selecting one is not run */
} DistinctOptions;

typedef struct DistinctText {
    TokenList tokens; /* as in BeamText */
    double log_prob;  /* under the chain, of all tokens, the ending one included */
    double score;     /* with the noise: texts come by falling score */
    double weight;    /* p / the probability that the score is above the threshold */
    StopReason reason;
} DistinctText;

/* Draw them.  The session needs texts + 1 sequences; its contents are lost.
 *
 *   out     (texts) filled; free with distinct_free
 *   count   how many: fewer if there are no more texts
 *   tokens  how many were drawn, those of dropped beams included
 *
 * Fails when the prompt is empty or does not fit, and when no text meets the constraints. */
bool distinct_draw(Session *session, const int32_t *prompt, size_t n,
                   const DistinctOptions *options, DistinctText *out, size_t *count,
                   size_t *tokens, Fault *fault);
void distinct_free(DistinctText *texts, size_t count);

#endif
