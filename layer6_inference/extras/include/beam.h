/* beam.h - beam search: the likeliest texts, not likely words.
 *
 *     step 1      step 2           each step: every beam with its likeliest next tokens,
 *     the         the fox          the best B of all of them go on
 *     a      ->   the hen
 *                 a fox            beams share the memory of what they have in common
 *
 * A text that ends, by itself or by a stop string, leaves the beams and waits among the finished ones.
 *
 * Invariant: beams of a group are distinct texts; a finished text keeps its score.
 * Source   Graves 2012, arXiv:1211.3711; length penalty: Wu et al. 2016, arXiv:1609.08144; groups: Vijayakumar et al.
 *          2016, arXiv:1610.02424. */
#ifndef STRATA_BEAM_H
#define STRATA_BEAM_H

#include "chain.h"
#include "ending.h"
#include "heal.h"

enum { BEAM_MAX = 32 };

/* Called when the prompt has been read and after each step; false ends the search there. */
typedef bool OnStep(void *context, size_t steps);

typedef struct BeamOptions {
    size_t beams, groups; /* groups divides beams */
    /* taken off a logit for each earlier group that chose the token in this step */
    double diversity;
    double length_power; /* score = ln p / tokens^power */
    bool early; /* end when `beams` texts are finished; else when none can become better */
    Limits limits;
    const Stops *stops; /* stop strings; or NULL */
    const Heal *heal;   /* what the texts must begin with: from heal_prompt; or NULL */
    /* what the texts must obey: its stages but for the one that selects.  Scores are the model's own, of
     * the tokens that are left; NULL: nothing */
    Chain *rules;
    OnStep *on_step; /* or NULL */
    void *context;
} BeamOptions;

typedef struct BeamText {
    /* what was generated: with the tokens of a stop string, without an end or stop token */
    TokenList tokens;
    double log_prob, score; /* of all tokens, the one that ended the text, too */
    StopReason reason;
} BeamText;

/* Search; texts[0] is the best.  The session needs as many sequences as there are beams; what
 * it held is forgotten.
 *
 *   texts   (beams) filled; free with beam_free
 *
 * Fails when the prompt is empty or does not fit, and when no text obeys. */
bool beam_search(Session *session, const int32_t *prompt, size_t n, const BeamOptions *options,
                 BeamText *texts, size_t *count, Fault *fault);
void beam_free(BeamText *texts, size_t count);

#endif
