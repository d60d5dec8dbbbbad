/* top_n_sigma.c - keep logits within n standard deviations of the best.  Most logits are noise
 * around a mean; the informative ones stand out above it.  Temperature scales both sides and
 * changes nothing. */
#include "stage.h"

#include <math.h>

enum { N, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double n = stage->value[N], best = (double)candidates_max(c);
    if (n <= 0) return;
    Moments m = scan_moments(c->logits, c->count, candidates_max(c));
    double mean = m.sum / (double)m.count;
    double sigma = sqrt(fmax(0, m.squares / (double)m.count - mean * mean));
    candidates_keep_above(c, (float)(best - n * sigma), (size_t)stage->value[KEEP]);
}

const StageKind stage_top_n_sigma = {
    .name = "top_n_sigma",
    .gloss = "keep logits within N standard deviations of the best",
    .formula = "keep logit_i >= max - N sigma,  sigma over all logits above -infinity",
    .advice = "the same choice at every temperature.  1 to 2.",
    .source = "Tang et al. 2024, arXiv:2411.07641",
    .example = "top_n_sigma:1",
    .params =
        {{.key = "n", .low = 0, .high = 1000, .required = true, .off = 0, .has_off = true},
         PARAM_KEEP},
    .apply = apply};
