/* top_h.c - of the best hundred tokens, renormalized, keep the best while their share of the
 * entropy is at most H. */
#include "stage.h"

#include <math.h>

enum { H, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    size_t min_keep = (size_t)stage->value[KEEP], kept = 0;
    candidates_keep_best(c, min_keep > 100 ? min_keep : 100);
    candidates_sort(c);
    double max_entropy = stage->value[H] * candidates_entropy(c) * (1 + MILLIONTH), so_far = 0,
           max = (double)candidates_max(c), ln_sum = log(candidates_sum(c));
    while (kept < c->count) {
        double ln_p = (double)c->logits[kept] - max - ln_sum;
        so_far += ln_p > -700 ? -exp(ln_p) * ln_p : 0;
        if (kept > 0 && so_far > max_entropy) break;
        kept++;
    }
    candidates_keep_best(c, kept > min_keep ? kept : min_keep);
}

const StageKind stage_top_h = {
    .name = "top_h",
    .gloss = "keep the best tokens that make up H of the entropy",
    .formula = "from best to worst while  -sum p ln p <= H * entropy,  within the best 100",
    .advice = "coherent at high temperature.  0.4 is the paper's choice.",
    .source = "Potraghloo et al. 2025, arXiv:2509.02510",
    .example = "top_h:0.6",
    .params = {{.key = "h", .low = 0, .high = 1, .required = true, .exclusive_min = true},
               PARAM_KEEP},
    .apply = apply};
