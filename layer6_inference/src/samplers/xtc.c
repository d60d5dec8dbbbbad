/* xtc.c - exclude top choices: with probability P, of all tokens that are likely enough drop all but the least likely. */
#include "stage.h"

#include <math.h>

/* Remove the `n` first of the sorted candidates above the limit, in place, where they lie. */
static void drop_best(Candidates *c, size_t n) {
    candidates_sort(c);
    candidates_keep_range(c, n, c->count);
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double chance = stage->value[0], t = stage->value[1];
    size_t least = (size_t)stage->value[2], likely = 0;
    if (chance <= 0 || t > 0.5) return;
    if (rng_unit(step->seed, step->position, stage->index) >= chance) return;
    float limit = (float)(candidates_log_sum(c) + log(t));
    for (size_t i = 0; i < c->count; i++) likely += c->logits[i] >= limit;
    if (likely < 2) return;
    size_t drop = likely - 1;
    if (c->count < least + drop) drop = c->count > least ? c->count - least : 0;
    if (drop) drop_best(c, drop);
}

const StageKind stage_xtc = {
    .name = "xtc",
    .gloss =
        "with probability P drop the top choices above t, all but the least likely of them",
    .formula = "if u < P: of the tokens with p_i >= t keep only the least likely",
    .advice = "breaks cliches in stories.  Useless, even harmful, where one token is right.",
    .source = "p-e-w 2024, text-generation-webui #6335",
    .example = "xtc:1:t=0.1",
    .params = {{.key = "p", .low = 0, .high = 1, .needed = true, .off = 0, .has_off = true},
               {.key = "t", .fallback = 0.1, .low = 0, .high = 1, .open = true},
               PARAM_KEEP},
    .apply = apply};
