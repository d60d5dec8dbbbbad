/* draw.c - pick a token with its probability: the first i with p_0 + ... + p_i > u, where u is
 * uniform in [0, 1).
 *
 * Whole chunks are summed first; only the chunk that contains u is searched token by token. */
#include "pick.h"
#include "stage.h"

#include <math.h>

/* The entry at which the running sum of exp(logit - max) passes `left`. */
static size_t draw_entry_at(Candidates *c, double left) {
    float max = candidates_max(c), weights[SCAN_CHUNK];
    for (size_t from = 0; from < c->count; from += SCAN_CHUNK) {
        size_t size = c->count - from < SCAN_CHUNK ? c->count - from : SCAN_CHUNK;
        double sum = scan_exp(c->logits + from, size, max).sum;
        if (left >= sum && from + size < c->count) {
            left -= sum;
            continue;
        }
        vector_exp(weights, c->logits + from, max, size);
        size_t drawn = pick_drawn(weights, size, left);
        if (drawn < size) return from + drawn;
    }
    return candidates_best(c); /* rounding left a remainder beyond the last token */
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double u = rng_unit(step->seed, step->position, stage->index);
    if (c->skew != 0) {
        candidates_sort(c);
        u = pow(u, exp(-c->skew));
    }
    if (c->given >= 0 && candidates_log_prob(c, c->given) > -INFINITY)
        c->chosen = c->given;
    else
        c->chosen = candidates_id(c, draw_entry_at(c, u * candidates_sum(c)));
}

const StageKind stage_draw = {
    .name = "draw",
    .gloss = "pick a token with its probability",
    .formula = "token = the first i with p_0 + ... + p_i > u,  u uniform in [0, 1)",
    .advice = "the end of nearly every chain; added when no other stage selects.",
    .source = "inversion: Devroye 1986, Non-Uniform Random Variate Generation, III.2",
    .example = "draw",
    .selects = true,
    .apply = apply};
