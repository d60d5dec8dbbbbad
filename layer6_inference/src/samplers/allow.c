/* allow.c - only these tokens. */
#include "stage.h"

#include <math.h>

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    for (size_t i = 0; i < stage->n_list; i++)
        if ((size_t)stage->list[i].ids[0] < c->vocab) c->marks[stage->list[i].ids[0]] = 1;
    for (size_t i = 0; i < c->count; i++)
        if (!c->marks[candidates_id(c, i)]) c->logits[i] = -INFINITY;
    for (size_t i = 0; i < stage->n_list; i++)
        if ((size_t)stage->list[i].ids[0] < c->vocab) c->marks[stage->list[i].ids[0]] = 0;
    candidates_changed(c);
}

const StageKind stage_allow = {.name = "allow",
                               .gloss = "nothing but these tokens: allow:5:9:12",
                               .formula = "logit = -infinity for every other token",
                               .advice = "a choice among few answers: yes or no, A to D.",
                               .source = "vLLM, allowed_token_ids",
                               .example = "allow:1:3:5",
                               .list = LIST_IDS,
                               .apply = apply};
