/* text_options.h - what every search for texts takes beside settings of its own: beams,
 * particles, distinct texts, power sampling, aligned texts. */
#ifndef STRATA_TEXT_OPTIONS_H
#define STRATA_TEXT_OPTIONS_H

#include "chain.h"
#include "ending.h"
#include "heal.h"

/* Called when the prompt is evaluated and after each step, or, where texts are drawn one after
 * another (power.h, aligned.h), for each token drawn; false ends the search. */
typedef bool OnStep(void *context, size_t steps);

typedef struct TextOptions {
    Limits limits;
    const Stops *stops; /* stop strings, or NULL */
    const Heal *heal;   /* required beginning, from heal_prompt, or NULL */
    Chain *rules;       /* which stages each search wants, and what it takes from them: there */
    OnStep *on_step;    /* or NULL */
    void *context;      /* of on_step */
} TextOptions;

#endif
