/* top_k.c - keep the k most likely tokens. */
#include "stage.h"

enum { K, KEEP };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double k = stage->value[K], min_keep = stage->value[KEEP];
    candidates_keep_best(c, (size_t)(k > min_keep ? k : min_keep));
}

const StageKind stage_top_k = {
    .name = "top_k",
    .gloss = "keep the k most likely tokens",
    .formula = "keep the K largest logits; of equal ones the lower ids",
    .advice = "a cheap guard against the tail, deaf to how sure the model is.  40 is usual.",
    .source = "Fan, Lewis & Dauphin 2018, arXiv:1805.04833",
    .example = "top_k:3",
    .params = {{.key = "k",
                .low = 0,
                .high = 1e9,
                .integer = true,
                .required = true,
                .off = 0,
                .has_off = true},
               PARAM_KEEP},
    .apply = apply};
