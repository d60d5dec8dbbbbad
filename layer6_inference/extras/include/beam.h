/* beam.h - beam search: the likeliest texts, not likely words.
 *
 *     step 1      step 2           each step: extend every beam by its likeliest next tokens,
 *     the         the fox          and keep the best B of all extensions
 *     a      ->   the hen
 *                 a fox            beams share the KV pages of their common prefix
 *
 * A text that ends, by itself or by a stop string, leaves the beams; it is finished.
 *
 * Invariant: the beams of a group are distinct texts; a finished text keeps its score
 * [beams_are_what_the_textbook_finds].
 * Source   Graves 2012, arXiv:1211.3711; length penalty: Wu et al. 2016, arXiv:1609.08144;
 *          groups: Vijayakumar et al. 2016, arXiv:1610.02424. */
#ifndef STRATA_BEAM_H
#define STRATA_BEAM_H

#include "text_options.h"

enum { BEAM_MAX = 32 };

typedef struct BeamOptions {
    size_t beams, groups; /* divides beams */
    /* subtracted from a logit for each earlier group that chose the token in this step */
    double diversity;
    double length_power; /* score = ln p / tokens^power */
    bool early;          /* end when `beams` texts are finished; else when none can improve */
    /* rules: constraints, the stages but the selecting one.  Scores are the model's own, over
     * the remaining tokens; NULL: none */
    TextOptions text;
} BeamOptions;

typedef struct BeamText {
    /* generated tokens, those of a stop string included, without an end or stop token */
    TokenList tokens;
    double log_prob, score; /* of all tokens, the ending one included */
    StopReason reason;
} BeamText;

/* Search; texts[0] is the best.  The session needs one sequence per beam; its contents are
 * lost.
 *
 *   texts   (beams) filled; free with beam_free
 *
 * Fails when the prompt is empty or does not fit, and when no text meets the constraints. */
bool beam_search(Session *session, const int32_t *prompt, size_t n, const BeamOptions *options,
                 BeamText *texts, size_t *count, Fault *fault);
void beam_free(BeamText *texts, size_t count);

#endif
