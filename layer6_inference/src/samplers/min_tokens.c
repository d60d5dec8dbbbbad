/* min_tokens.c - the text does not end before N tokens. */
#include "stage.h"

#include <math.h>

enum { N };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    if ((double)(step->history_count - step->prompt_count) >= stage->value[N]) return;
    bool changed = false;
    for (size_t i = 0; i < c->count; i++)
        if (tokenizer_is_end(step->tokenizer, candidates_id(c, i)))
            c->logits[i] = -INFINITY, changed = true;
    if (changed) candidates_changed(c);
}

/* Only what can be told beforehand: a grammar that is complete ends a text all the same. */
static size_t min_tokens_least(const Stage *stage) { return (size_t)stage->value[N]; }

const StageKind stage_min_tokens = {
    .name = "min_tokens",
    .gloss = "no end before N tokens",
    .formula =
        "fewer than N tokens so far:  logit = -infinity for every token that ends a text",
    .advice = "answers that stop too soon.  A grammar that is complete ends the text all the "
              "same.",
    .source = "vLLM, min_tokens",
    .example = "min_tokens:20",
    .params = {{.key = "n",
                .low = 0,
                .high = 1e9,
                .integer = true,
                .required = true,
                .off = 0,
                .has_off = true}},
    .needs = NEEDS_TOKENIZER,
    .least = min_tokens_least,
    .apply = apply};
