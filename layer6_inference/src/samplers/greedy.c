/* greedy.c - always the most likely token; of equal ones the lower id. */
#include "stage.h"

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)stage, (void)step;
    size_t best = candidates_best(c);
    c->chosen = candidates_id(c, best);
    candidates_keep_range(c, best, best + 1);
}

const StageKind stage_greedy = {
    .name = "greedy",
    .gloss = "pick the most likely token",
    .formula = "token = argmax logit; of equal ones the lower id",
    .advice = "one right answer: arithmetic, extraction, tests.  Stories become repetitive.",
    .source = "the limit of temperature at 0",
    .example = "greedy",
    .selects = true,
    .apply = apply};
