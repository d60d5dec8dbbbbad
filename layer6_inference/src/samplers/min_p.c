/* min_p.c - keep tokens at least p times as likely as the most likely one.  Since
 * prob >= p * max prob  means  logit >= max logit + ln p,  no sum is needed. */
#include "stage.h"

#include <math.h>

enum { P, KEEP };

/* The chain's P is stage->value[P].  At least the stage->value[KEEP] best stay.  Needs P > 0:
 * a stage that is off is not run.  MILLIONTH: 0.245 is 0.7 times 0.35, whatever their
 * logarithms are rounded to. */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    float limit = candidates_max(c) + logf((float)stage->value[P]) - (float)MILLIONTH;
    candidates_keep_above(c, limit, (size_t)stage->value[KEEP]);
}

const StageKind stage_min_p = {
    .name = "min_p",
    .gloss = "keep tokens at least p times as likely as the likeliest",
    .formula = "keep p_i >= P max p,  that is  logit_i >= max + ln P",
    .advice = "stays sane at high temperatures.  0.02 to 0.1; above 1 only the best stays.",
    .source = "Nguyen et al. 2024, arXiv:2407.01082",
    .example = "min_p:0.1",
    .params = {{.key = "p", .low = 0, .high = 2, .required = true, .off = 0, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
