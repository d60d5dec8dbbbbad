/* min_p.c - keep tokens at least p times as likely as the most likely one.  Since
 * prob >= p * max prob  means  logit >= max logit + ln p,  no sum is needed.   Nguyen et al. 2024, arXiv:2407.01082. */
#include "stage.h"

#include <math.h>

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    if (stage->value[0] <= 0) return;
    float max = c->logits[candidates_best(c)];
    candidates_keep_above(c, max + logf((float)stage->value[0]), (size_t)stage->value[1]);
}

const StageKind stage_min_p = {
    .name = "min_p",
    .gloss = "keep tokens at least p times as likely as the likeliest; 0 is off",
    .params = {{.key = "p", .low = 0, .high = 1, .needed = true},
               {.key = "keep", .fallback = 1, .low = 1, .high = 1e9, .whole = true}},
    .apply = apply};
