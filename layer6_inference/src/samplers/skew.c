/* skew.c - skew the uniform sample u of the draw that follows: with the tokens from best to
 * worst, u becomes u^(e^-S). */
#include "stage.h"

enum { S };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    c->skew = stage->value[S];
}

const StageKind stage_skew = {
    .name = "skew",
    .gloss = "skew draw's uniform sample: above 0 towards unlikely tokens, below 0 towards "
             "likely ones",
    .formula = "u' = u^(e^-S), over the tokens from best to worst",
    .advice = "a gentle push without moving any token in or out of reach.",
    .source = "turboderp 2024, exllamav2",
    .example = "skew:0.5",
    .params =
        {{.key = "s", .low = -10, .high = 10, .required = true, .off = 0, .has_off = true}},
    .apply = apply};
