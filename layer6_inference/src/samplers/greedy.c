/* greedy.c - always the most likely token; of equal ones the lower id. */
#include "stage.h"

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    (void)stage, (void)step;
    c->chosen = candidates_id(c, candidates_best(c));
}

const StageKind stage_greedy = {
    .name = "greedy", .gloss = "pick the most likely token", .picks = true, .apply = apply};
