/* top_a.c - min_p with a limit that falls with the square of the best probability. */
#include "stage.h"

#include <math.h>

enum { A, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double best = -log(candidates_sum(c)); /* ln p of the likeliest */
    candidates_keep_likely(c, log(stage->value[A]) + 2 * best, (size_t)stage->value[KEEP]);
}

const StageKind stage_top_a = {
    .name = "top_a",
    .gloss = "keep tokens with p at least A times the square of the largest p",
    .formula = "keep p_i >= A (max p)^2,  that is  ln p_i >= ln A + 2 ln max p",
    .advice = "strict when one token dominates, generous when none does.  0.1 to 0.3.",
    .source = "BlinkDL 2022, RWKV-LM",
    .example = "top_a:0.2",
    .params = {{.key = "a", .low = 0, .high = 1e6, .required = true, .off = 0, .has_off = true},
               PARAM_KEEP},
    .apply = apply};
