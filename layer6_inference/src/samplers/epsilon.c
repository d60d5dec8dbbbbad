/* epsilon.c - keep tokens above a fixed probability. */
#include "stage.h"

#include <math.h>

enum { E, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    candidates_keep_likely(c, log(stage->value[E]), (size_t)stage->value[KEEP]);
}

const StageKind stage_epsilon = {
    .name = "epsilon",
    .gloss = "keep tokens with probability at least E",
    .formula = "keep p_i >= E,  that is  logit_i >= L + ln E",
    .advice = "the plainest way to cut what a model does not mean.  0.0003 to 0.002.",
    .source = "Hewitt, Manning & Liang 2022, arXiv:2210.15191",
    .example = "epsilon:0.05",
    .params = {{.key = "e", .low = 0, .high = 1, .required = true, .off = 0, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
