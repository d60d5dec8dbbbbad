/* dola.c - decoding by contrasting layers: prefer what the last layers made likelier.  See
 * early_layers.h for the early layer's logits.  The sums of both softmaxes shift all logits
 * alike, so only the amateur's is subtracted, for the floor. */
#include "more_stages.h"

#include <math.h>

enum { ALPHA, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    float max = candidates_max(c),
          limit = max + logf((float)stage->value[ALPHA]) - (float)MILLIONTH;
    candidates_keep_above(c, limit, (size_t)stage->value[KEEP]);
    double early = log_sum_exp(step->amateur, c->vocab);
    for (size_t i = 0; i < c->count; i++) {
        double q = fmax((double)step->amateur[candidates_id(c, i)] - early, -100);
        if (c->logits[i] > -INFINITY)
            c->logits[i] = (float)((double)c->logits[i] - (double)max - q);
    }
    candidates_changed(c);
}

const StageKind stage_dola = {
    .name = "dola",
    .gloss = "prefer what the last layers made likelier than an early one (--early-layers L,L)",
    .formula = "keep p_i >= A max p;  logit' = ln p_i - ln q_i,  q of the early layer",
    .advice =
        "facts, in large models; with a penalty on repetition.  dola:0.1 and a few of the "
        "lower half's layers.",
    .source = "Chuang et al. 2023, arXiv:2309.03883",
    .example = "dola:0.1",
    .params = {{.key = "alpha", .default_value = 0.1, .high = 1, .has_off = true}, PARAM_KEEP},
    .needs = NEEDS_AMATEUR,
    .apply = apply};
