/* eta.c - epsilon with a limit that falls when the model is unsure. */
#include "stage.h"

#include <math.h>

enum { E, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double e = stage->value[E], limit = fmin(e, sqrt(e) * exp(-candidates_entropy(c)));
    candidates_keep_likely(c, log(limit), (size_t)stage->value[KEEP]);
}

const StageKind stage_eta = {
    .name = "eta",
    .gloss = "keep tokens with probability at least E, or less where entropy is high",
    .formula = "keep p_i >= min(E, sqrt(E) e^-H)",
    .advice = "like epsilon, without starving open steps.  0.0003 to 0.004.",
    .source = "Hewitt, Manning & Liang 2022, arXiv:2210.15191",
    .example = "eta:0.1",
    .params = {{.key = "e", .low = 0, .high = 1, .required = true, .off = 0, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
