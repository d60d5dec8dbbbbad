/* penalties.c - make tokens of the recent past less likely.
 *
 *     repetition   logit / rep  when it is positive, logit * rep when not      Keskar et al. 2019, arXiv:1909.05858
 *     frequency    logit - freq * count                                        OpenAI API reference
 *     presence     logit - pres
 *
 * Each once for every distinct token among the last `last` (-1: all) of the history, the
 * prompt's tokens too. */
#include "stage.h"

static size_t count_of(const int32_t *tokens, size_t n, int32_t id) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += tokens[i] == id;
    return count;
}

/* The entry of a token, or count when it is not among the candidates. */
static size_t entry_of(const Candidates *c, int32_t id) {
    if (c->dense) return (size_t)id;
    size_t i = 0;
    while (i < c->count && c->ids[i] != id) i++;
    return i;
}

static void apply(const Stage *stage, Candidates *c, const Step *step) {
    float rep = (float)stage->value[0], freq = (float)stage->value[1],
          pres = (float)stage->value[2];
    size_t n = step->history_count;
    if (stage->value[3] >= 0 && (double)n > stage->value[3]) n = (size_t)stage->value[3];
    const int32_t *recent = step->history + (step->history_count - n);
    for (size_t i = 0; i < n; i++) {
        size_t entry = entry_of(c, recent[i]);
        if (entry >= c->count || count_of(recent, i, recent[i])) continue; /* seen already */
        float logit = c->logits[entry];
        logit = logit > 0 ? logit / rep : logit * rep;
        c->logits[entry] = logit - freq * (float)count_of(recent, n, recent[i]) - pres;
        c->sorted = false;
    }
}

const StageKind stage_penalties = {
    .name = "penalties",
    .gloss = "make recent tokens less likely: rep divides, freq and pres subtract",
    .params = {{.key = "rep", .fallback = 1, .low = 1e-3, .high = 100},
               {.key = "freq", .fallback = 0, .low = -100, .high = 100},
               {.key = "pres", .fallback = 0, .low = -100, .high = 100},
               {.key = "last", .fallback = 64, .low = -1, .high = 1e9, .whole = true}},
    .apply = apply};
