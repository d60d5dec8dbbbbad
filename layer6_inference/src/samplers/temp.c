/* temp.c - temperature: every logit divided by T.  Below 1 the likely tokens gain, above 1 they
 * lose; at 0 only the
 * most likely one is left.   Ackley, Hinton & Sejnowski 1985, doi:10.1207/s15516709cog0901_7. */
#include "stage.h"

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    float t = (float)stage->value[0];
    if (t == 1) return;
    if (t <= 0) {
        candidates_keep_best(c, 1);
        return;
    }
    for (size_t i = 0; i < c->count; i++) c->logits[i] /= t;
}

const StageKind stage_temp = {
    .name = "temp",
    .gloss = "divide the logits by T: below 1 safer, above 1 bolder; 1 is off, 0 is greedy",
    .params = {{.key = "t", .low = 0, .high = 100, .needed = true}},
    .apply = apply};
