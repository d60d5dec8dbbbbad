/* draw.c - pick a token with its probability:  the first i with  p_0 + ... + p_i > u,  u in [0,
 * 1). */
#include "stage.h"

#include <math.h>

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    size_t best = candidates_best(c);
    double max = (double)c->logits[best], sum = 0;
    for (size_t i = 0; i < c->count; i++) sum += exp((double)c->logits[i] - max);
    double left = sum * rng_unit(step->seed, step->position, stage->index);
    c->chosen = candidates_id(c, best); /* if rounding leaves something over */
    for (size_t i = 0; i < c->count; i++) {
        left -= exp((double)c->logits[i] - max);
        if (left >= 0) continue;
        c->chosen = candidates_id(c, i);
        return;
    }
}

const StageKind stage_draw = {.name = "draw",
                              .gloss = "pick a token with its probability",
                              .picks = true,
                              .apply = apply};
