/* contrastive_search.c - of the k best, the one that is likely and whose hidden state is unlike
 * all earlier ones. */
#include "stage.h"

#include <math.h>

enum { ALPHA, K };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    enum { MAX_FORKS = 64 };
    double alpha = stage->value[ALPHA], best = -INFINITY;
    int32_t tokens[MAX_FORKS];
    float similarity[MAX_FORKS];
    double max = (double)candidates_max(c), sum = candidates_sum(c);
    candidates_keep_best(c, (size_t)stage->value[K]);
    candidates_sort(c);
    size_t n = 0;
    for (; n < c->count && c->logits[n] > -INFINITY; n++) /* K: at most MAX_FORKS */
        tokens[n] = c->ids[n];
    if (!step->look_ahead(step->look_ahead_context, tokens, n, similarity)) return;
    for (size_t i = 0; i < n; i++) {
        double score =
            (1 - alpha) * exp((double)c->logits[i] - max) / sum - alpha * (double)similarity[i];
        if (score > best) best = score, c->chosen = tokens[i];
    }
}

const StageKind stage_contrastive_search = {
    .name = "contrastive_search",
    .gloss = "of the k best, the likely one whose hidden state is unlike those before",
    .formula = "argmax over the K best of  (1 - A) p_i - A max_j cos(h_i, h_j)",
    .advice = "deterministic text without loops.  Costs K forward passes a token.",
    .source = "Su et al. 2022, arXiv:2202.06417",
    .example = "contrastive_search:0.6",
    .params = {{.key = "alpha", .low = 0, .high = 1, .required = true},
               {.key = "k", .default_value = 4, .low = 1, .high = 64, .integer = true}},
    .selects = true,
    .needs = NEEDS_LOOK_AHEAD,
    .apply = apply};
