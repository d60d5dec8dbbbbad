/* ban.c - banned words and sequences: a sequence's last token is banned when the text ends with
 * the tokens before it. */
#include "stage.h"

#include <math.h>
#include <string.h>

static void apply(Stage *stage, Candidates *c, const Step *step) {
    for (size_t i = 0; i < stage->n_list; i++) {
        const StageListItem *item = &stage->list[i];
        size_t before = item->count - 1;
        if (before > step->history_count || memcmp(step->history + step->history_count - before,
                                                   item->ids, before * sizeof *item->ids) != 0)
            continue;
        size_t entry = candidates_find(c, item->ids[before]);
        if (entry < c->count) candidates_set(c, entry, -INFINITY);
    }
}

const StageKind stage_ban = {
    .name = "ban",
    .gloss =
        "texts that shall not come: ban:fox:%20wolf (%20 is a space, %2C a comma, %3A a colon)",
    .formula = "text ends with the first n-1 tokens of a banned one:  logit of its last token "
               "= -infinity",
    .advice = "each text is banned as tokens, with and without a space before it.",
    .source = "Hugging Face transformers, NoBadWordsLogitsProcessor",
    .example = "ban:fox",
    .list = LIST_TEXTS,
    .needs = NEEDS_TOKENIZER,
    .apply = apply};
