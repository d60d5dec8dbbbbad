/* top_k.c - keep the k most likely tokens.   Fan, Lewis & Dauphin 2018, arXiv:1805.04833. */
#include "stage.h"

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    double k = stage->value[0], least = stage->value[1];
    if (k > 0) candidates_keep_best(c, (size_t)(k > least ? k : least));
}

const StageKind stage_top_k = {
    .name = "top_k",
    .gloss = "keep the k most likely tokens; 0 is off",
    .params = {{.key = "k", .low = 0, .high = 1e9, .whole = true, .needed = true},
               {.key = "keep", .fallback = 1, .low = 1, .high = 1e9, .whole = true}},
    .apply = apply};
