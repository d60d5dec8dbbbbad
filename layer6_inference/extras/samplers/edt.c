/* edt.c - entropy-based dynamic temperature: cool where the model is sure, up to T where it has
 * no idea.  The entropy is in nats; where it is 0, so is the temperature. */
#include "more_stages.h"

#include <math.h>

enum { T, THETA };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double entropy = candidates_entropy(c);
    double t = stage->value[T] * pow(0.8, stage->value[THETA] / fmax(entropy, 1e-9));
    if (t < 1e-6)
        candidates_keep_best(c, 1);
    else
        candidates_scale(c, (float)(1 / t));
}

static bool is_off(const Stage *stage) {
    return stage->value[T] == 1 && stage->value[THETA] == 0;
}

const StageKind stage_edt = {
    .name = "edt",
    .gloss = "divide the logits by a temperature that falls with the entropy: greedy where the "
             "model is sure",
    .formula = "logit' = logit / (T 0.8^(THETA / H))",
    .advice = "facts and free choices in one text.  temp with a range does the same by another "
              "curve.",
    .source = "Zhang et al. 2024, arXiv:2403.14541",
    .example = "edt:1",
    .params = {{.key = "t", .low = 0, .high = 100, .required = true},
               {.key = "theta", .default_value = 0.1, .low = 0, .high = 100}},
    .is_off = is_off,
    .apply = apply};
