/* length.c - from token `start` on, the end of the text becomes exponentially more likely. */
#include "stage.h"

#include <math.h>

enum { FACTOR, START };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double place = (double)(step->history_count - step->prompt_count) - stage->value[START];
    if (place <= 0) return;
    double gain = pow(stage->value[FACTOR], place) - 1;
    bool changed = false;
    for (size_t i = 0; i < c->count; i++) {
        double logit = (double)c->logits[i];
        if (!tokenizer_is_end(step->tokenizer, candidates_id(c, i)) || isinf(logit)) continue;
        c->logits[i] = (float)fmax(logit, fmin(1e30, logit + fabs(logit) * gain));
        changed = true;
    }
    if (changed) candidates_changed(c);
}

const StageKind stage_length = {
    .name = "length",
    .gloss = "from token start on, the end becomes exponentially more likely",
    .formula =
        "n tokens so far, n > start:  logit_end' = logit_end + |logit_end| (F^(n - start) - 1)",
    .advice = "texts of about a wanted length that still end by themselves.  1.01 to 1.1.",
    .source = "Hugging Face transformers, ExponentialDecayLengthPenalty",
    .example = "length:1.1:start=10",
    .params = {{.key = "f", .low = 1, .high = 100, .required = true, .off = 1, .has_off = true},
               {.key = "start", .low = 0, .high = 1e9, .integer = true}},
    .needs = NEEDS_TOKENIZER,
    .apply = apply};
