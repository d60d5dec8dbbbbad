/* adaptive_p.c - draw near a target probability T: tokens far from it become unlikely, and the
 * aim compensates for earlier draws.
 *
 *     row     weighted sum of the probabilities drawn so far, sum of the weights
 *     aim     clamp(2 T - sum / weights, 0, 1) */
#include "stage.h"

#include <math.h>

enum { TARGET, DECAY };
enum { DRAWN, WEIGHTS }; /* of a row */

static void apply(Stage *stage, Candidates *c, const Step *step) {
    const double *row = stage_memory(stage);
    float aim = (float)fmin(1, fmax(0, 2 * stage->value[TARGET] - row[DRAWN] / row[WEIGHTS]));
    float *p = c->work[0], *near = c->work[1], share = (float)(1 / candidates_sum(c));
    vector_exp(p, c->logits, candidates_max(c), c->count);
    for (size_t i = 0; i < c->count; i++) {
        float d = fabsf((p[i] *= share) - aim) / 0.3f;
        near[i] = 5 - 10 * d * d / (1 + d);
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->logits[i] > -INFINITY) c->logits[i] = near[i];
    candidates_changed(c);
    stage_draw.apply(stage, c, step);
    stage->selected = c->chosen;
    stage->observed = (double)p[candidates_find(c, c->chosen)];
}

static void adaptive_p_begin(const Stage *stage, double *row) {
    row[DRAWN] = stage->value[TARGET] / (1 - stage->value[DECAY]);
    row[WEIGHTS] = 1 / (1 - stage->value[DECAY]);
}

static void adaptive_p_accept(const Stage *stage, int32_t token, double *row) {
    if (token != stage->selected) return;
    row[DRAWN] = stage->observed + stage->value[DECAY] * row[DRAWN];
    row[WEIGHTS] = 1 + stage->value[DECAY] * row[WEIGHTS];
}

const StageKind stage_adaptive_p = {
    .name = "adaptive_p",
    .gloss = "draw tokens of about probability T, balancing over time",
    .formula = "aim = clamp(2 T - mean of drawn p);  d = |p_i - aim| / 0.3;  logit' = 5 - 10 "
               "d^2 / (1 + d)",
    .advice = "steadily unusual prose.  After min_p, with targets from 0.3 to 0.6.",
    .source = "llama.cpp #17927, 2025",
    .example = "adaptive_p:0.3",
    .params = {{.key = "t", .low = 0, .high = 1, .required = true},
               {.key = "decay", .default_value = 0.9, .low = 0, .high = 0.99}},
    .selects = true,
    .apply = apply,
    .memory = 2,
    .begin = adaptive_p_begin,
    .accept = adaptive_p_accept};
