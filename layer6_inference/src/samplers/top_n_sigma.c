/* top_n_sigma.c - keep logits within n standard deviations of the best.  Most logits are noise
 * around a mean; the informative ones stand out above it.  Temperature scales both sides and
 * changes nothing. */
#include "stage.h"

#include <math.h>

enum { N, KEEP };

/* Squares of logits beyond 1e18 overflow the scan's lanes, which are float. */
static Moments sigma_moments(Candidates *c) {
    const float shift = candidates_max(c);
    Moments m = scan_moments(c->logits, c->count, shift);
    if (isfinite(m.squares)) return m;
    m = (Moments){0};
    for (size_t i = 0; i < c->count; i++) {
        double d = (double)c->logits[i] - (double)shift;
        if (d > -INFINITY) m.count++, m.sum += d, m.squares += d * d;
    }
    return m;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double n = stage->value[N], best = (double)candidates_max(c);
    Moments m = sigma_moments(c);
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
