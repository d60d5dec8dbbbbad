/* force.c - a given token at a given position of the answer. */
#include "stage.h"

#include <math.h>

enum { ID, AT };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    size_t place = step->history_count - step->prompt_count;
    if ((double)place != stage->value[AT]) return;
    int32_t id = (int32_t)stage->value[ID];
    for (size_t i = 0; i < c->count; i++)
        if (candidates_id(c, i) != id) c->logits[i] = -INFINITY;
    candidates_changed(c);
}

const StageKind stage_force = {
    .name = "force",
    .gloss = "this token at this place of the answer: force:ID:at=N (0: the first)",
    .formula = "at place N:  logit = -infinity for every other token",
    .advice = "a forced first token (a language, a bracket) or a forced end after N tokens.",
    .source = "Hugging Face transformers, ForcedBOS- and ForcedEOSTokenLogitsProcessor",
    .example = "force:3",
    .params =
        {{.key = "id", .low = 0, .high = 1e9, .integer = true, .required = true, .token = true},
         {.key = "at", .low = 0, .high = 1e9, .integer = true}},
    .apply = apply};
