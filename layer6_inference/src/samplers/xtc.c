/* xtc.c - exclude top choices: with probability P, drop all tokens above the threshold except
 * the least likely of them. */
#include "order.h"
#include "stage.h"

#include <math.h>

enum { P, T, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double chance = stage->value[P], t = stage->value[T];
    size_t min_keep = (size_t)stage->value[KEEP], likely, drop;
    if (t > 0.5) return;
    if (rng_unit(step->seed, step->position, stage->index) >= chance) return;
    float limit = candidates_limit(c, log(t));
    likely = scan_keep(c->logits, NULL, c->count, limit, c->work[0], c->work_ids[0]);
    if (likely < 2) return;
    for (size_t i = 0; i < likely; i++) {
        size_t entry = (size_t)c->work_ids[0][i];
        c->keys[i] = order_key(c->logits[entry], candidates_id(c, entry));
    }
    size_t alive = candidates_alive(c);
    drop = likely - 1;
    if (alive < min_keep + drop) drop = alive > min_keep ? alive - min_keep : 0;
    order_select(c->keys, likely, drop);
    for (size_t i = 0; i < drop; i++)
        candidates_set(c, candidates_find(c, order_id(c->keys[i])), -INFINITY);
}

const StageKind stage_xtc = {
    .name = "xtc",
    .gloss =
        "with probability P drop the top choices above t, all but the least likely of them",
    .formula = "if u < P: of the tokens with p_i >= t keep only the least likely",
    .advice = "breaks cliches in stories.  Useless, even harmful, where one token is right.",
    .source = "p-e-w 2024, text-generation-webui #6335",
    .example = "xtc:1:t=0.1",
    .params = {{.key = "p", .low = 0, .high = 1, .required = true, .off = 0, .has_off = true},
               {.key = "t", .default_value = 0.1, .low = 0, .high = 1, .exclusive_min = true},
               PARAM_KEEP},
    .apply = apply};
