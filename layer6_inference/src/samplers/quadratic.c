/* quadratic.c - smoothing: logits far below the best are lowered by the square (and cube) of
 * their distance, those near it move together. */
#include "stage.h"

#include <math.h>

enum { FACTOR, CURVE };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double factor = stage->value[FACTOR], curve = stage->value[CURVE];
    double max = (double)candidates_max(c), k = factor * (3 - curve) / 2,
           s = factor * (curve - 1) / 2;
    for (size_t i = 0; i < c->count; i++) {
        double d = (double)c->logits[i] - max;
        if (c->logits[i] != -INFINITY) c->logits[i] = (float)(max - k * d * d + s * d * d * d);
    }
    candidates_kept_order(c);
}

const StageKind stage_quadratic = {
    .name = "quadratic",
    .gloss = "reshape the logits: near the best closer together, far ones lower",
    .formula = "d = logit - max;  logit' = max - F (3-C)/2 d^2 + F (C-1)/2 d^3",
    .advice =
        "variety among good tokens without a long tail.  Factors from 0.2 to 0.5 are usual.",
    .source = "kalomaze 2024, text-generation-webui #5403",
    .example = "quadratic:0.3",
    .params = {{.key = "f", .low = 0, .high = 100, .required = true, .off = 0, .has_off = true},
               {.key = "curve", .default_value = 1, .low = 1, .high = 3}},
    .apply = apply};
