/* top_h.c - of the best hundred tokens, renormalized, keep the best while their part of the
 * entropy is at most H.  That is the authors' code; their paper bounds the entropy of the
 * tokens that stay, renormalized again, and so mostly keeps fewer. */
#include "stage.h"

#include <math.h>

enum { H, KEEP };

/* -p ln p of entry i, in double precision: the entropy of candidates.h, a difference of sums of
 * floats, is too coarse when the model is nearly certain. */
static double top_h_part(const Candidates *c, size_t i, double sum) {
    double d = (double)c->logits[i] - (double)c->logits[0];
    return d > -INFINITY ? exp(d) / sum * (log(sum) - d) : 0;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    size_t min_keep = (size_t)stage->value[KEEP], kept = 0;
    double sum = 0, entropy = 0, so_far = 0, h = stage->value[H] * (1 + MILLIONTH);
    candidates_keep_best(c, min_keep > 100 ? min_keep : 100);
    candidates_sort(c);
    for (size_t i = 0; i < c->count; i++) sum += exp((double)(c->logits[i] - c->logits[0]));
    for (size_t i = 0; i < c->count; i++) entropy += top_h_part(c, i, sum);
    while (kept < c->count && (so_far += top_h_part(c, kept, sum)) <= h * entropy) kept++;
    candidates_keep_best(c, kept > min_keep ? kept : min_keep);
}

const StageKind stage_top_h = {
    .name = "top_h",
    .gloss = "keep the best tokens that make up H of the entropy",
    .formula = "from best to worst while  -sum p ln p <= H * entropy,  within the best 100",
    .advice = "coherent at high temperature.  0.4 is the paper's choice.",
    .source = "Potraghloo et al. 2025, arXiv:2509.02510, as in the authors' code",
    .example = "top_h:0.6",
    .params = {{.key = "h", .low = 0, .high = 1, .required = true, .exclusive_min = true},
               PARAM_KEEP},
    .apply = apply};
