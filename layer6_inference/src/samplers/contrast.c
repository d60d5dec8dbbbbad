/* contrast.c - contrastive decoding: what an expert prefers more than an amateur does, among
 * the tokens the expert finds plausible.  Mistakes that both make cancel. */
#include "stage.h"

#include <math.h>

enum { ALPHA, BETA, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double beta = stage->value[BETA];
    float limit = candidates_max(c) + logf((float)stage->value[ALPHA]) - (float)MILLIONTH;
    candidates_keep_above(c, limit, (size_t)stage->value[KEEP]);
    double expert = candidates_log_sum(c), amateur = log_sum_exp(step->amateur, c->vocab);
    for (size_t i = 0; i < c->count; i++) {
        double a = (double)step->amateur[candidates_id(c, i)] - amateur,
               e = (double)c->logits[i] - expert;
        if (isinf(e)) continue;
        c->logits[i] = (float)((1 + beta) * e - beta * fmax(a, -100));
    }
    candidates_changed(c);
}

const StageKind stage_contrast = {
    .name = "contrast",
    .gloss = "prefer what the model likes better than a weaker one does (--amateur FILE)",
    .formula = "keep p_i >= A max p;  logit' = (1 + B) ln p_i - B ln q_i,  q of the amateur",
    .advice = "open-ended text with an amateur of the same vocabulary.  contrast:0.1.",
    .source = "Li et al. 2022, arXiv:2210.15097; with (1 + B): O'Brien & Lewis 2023, "
              "arXiv:2309.09117",
    .example = "contrast:0.1",
    .params =
        {{.key = "alpha", .low = 0, .high = 1, .required = true, .off = 0, .has_off = true},
         {.key = "beta", .default_value = 0.5, .low = 0, .high = 100},
         PARAM_KEEP},
    .needs = NEEDS_AMATEUR,
    .apply = apply};
