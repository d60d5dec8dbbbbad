/* no_repeat.c - no sequence of N tokens occurs twice: a token that would complete one is
 * banned. */
#include "stage.h"

#include <math.h>
#include <string.h>

enum { N };

static void apply(Stage *stage, Candidates *c, const Step *step) {
    size_t n = (size_t)stage->value[N], count = step->history_count;
    if (count + 1 < n) return;
    const int32_t *tail = step->history + (count - (n - 1));
    for (size_t at = 0; at + n <= count; at++) {
        const int32_t *gram = step->history + at;
        if (memcmp(gram, tail, (n - 1) * sizeof *tail) != 0) continue;
        size_t entry = candidates_find(c, gram[n - 1]);
        if (entry < c->count) candidates_set(c, entry, -INFINITY);
    }
}

const StageKind stage_no_repeat = {
    .name = "no_repeat",
    .gloss = "no sequence of N tokens comes twice",
    .formula = "logit = -infinity for every token that would complete an N-gram of the history",
    .advice = "summaries; too hard for stories, where names must come again.  N from 3 up.",
    .source = "Paulus, Xiong & Socher 2017, arXiv:1705.04304, section 2.5",
    .example = "no_repeat:2",
    .params = {{.key = "n",
                .low = 0,
                .high = 1e6,
                .integer = true,
                .required = true,
                .off = 0,
                .has_off = true}},
    .apply = apply};
