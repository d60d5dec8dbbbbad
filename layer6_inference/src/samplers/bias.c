/* bias.c - add to the logits of single tokens; -inf bans one. */
#include "stage.h"

static void apply(Stage *stage, Candidates *c, const Step *step) {
    (void)step;
    for (size_t i = 0; i < stage->n_list; i++) {
        size_t entry = candidates_find(c, stage->list[i].ids[0]);
        if (entry < c->count)
            candidates_set(c, entry, c->logits[entry] + (float)stage->list[i].value);
    }
}

const StageKind stage_bias = {
    .name = "bias",
    .gloss = "add to the logits of single tokens: bias:15=-2:20=1.5; -inf bans",
    .formula = "logit'_id = logit_id + B",
    .advice = "5 is a strong push, -inf a ban.  Token ids: strata tokenize.",
    .source = "OpenAI API reference, logit_bias",
    .example = "bias:2=2",
    .list = LIST_BIASES,
    .apply = apply};
