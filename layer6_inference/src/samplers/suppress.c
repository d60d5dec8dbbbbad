/* suppress.c - ban tokens, everywhere or only as the first of the answer. */
#include "stage.h"

#include <math.h>

enum { FIRST };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    if (stage->value[FIRST] > 0 && step->history_count > step->prompt_count) return;
    for (size_t i = 0; i < stage->n_list; i++) {
        size_t entry = candidates_find(c, stage->list[i].ids[0]);
        if (entry < c->count) candidates_set(c, entry, -INFINITY);
    }
}

const StageKind stage_suppress = {
    .name = "suppress",
    .gloss = "ban tokens: suppress:5:9; with first=1 only as the first of the answer",
    .formula = "logit_id = -infinity",
    .advice = "keeps an answer from beginning with a space, or from ending at once.",
    .source = "Radford et al. 2022, arXiv:2212.04356: suppress_tokens of its code",
    .example = "suppress:1:2",
    .params = {{.key = "first", .low = 0, .high = 1, .integer = true}},
    .list = LIST_IDS,
    .apply = apply};
