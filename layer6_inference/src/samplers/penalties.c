/* penalties.c - make recent tokens less likely: the last `last` tokens (-1: all of them),
 * including the prompt's.  Each distinct token is penalized once. */
#include "stage.h"

enum { REP, FREQ, PRES, LAST };

static bool is_off(const Stage *stage) {
    return stage->value[REP] == 1 && stage->value[FREQ] == 0 && stage->value[PRES] == 0;
}

/* The formula below, with F times the token's count.  Tokens that are no longer candidates, or
 * not in the vocabulary, are skipped.  Logits are written with candidates_set; c->marks, a
 * counter for each token, is all 0 before and after. */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    float rep = (float)stage->value[REP], freq = (float)stage->value[FREQ],
          pres = (float)stage->value[PRES];
    size_t n = step->history_count;
    if (stage->value[LAST] >= 0 && (double)n > stage->value[LAST])
        n = (size_t)stage->value[LAST];
    const int32_t *recent = step->history + (step->history_count - n);
    for (size_t i = 0; i < n; i++)
        if ((size_t)recent[i] < c->vocab) c->marks[recent[i]]++;
    for (size_t i = 0; i < n; i++) {
        if ((size_t)recent[i] >= c->vocab || !c->marks[recent[i]]) continue; /* done already */
        size_t entry = candidates_find(c, recent[i]);
        float count = (float)c->marks[recent[i]];
        c->marks[recent[i]] = 0;
        if (entry == c->count) continue;
        float logit = c->logits[entry];
        logit = logit > 0 ? logit / rep : logit * rep;
        candidates_set(c, entry, logit - freq * count - pres);
    }
}

const StageKind stage_penalties = {
    .name = "penalties",
    .gloss = "make recent tokens less likely: rep divides, freq and pres subtract",
    .formula =
        "logit' = (logit > 0 ? logit / R : logit * R) - F * count - P,  over the last N tokens",
    .advice = "small models that loop.  rep 1.05 to 1.15; it also punishes names and commas.",
    .source = "rep: Keskar et al. 2019, arXiv:1909.05858; freq, pres: OpenAI API reference",
    .example = "penalties:rep=1.5",
    .params = {{.key = "rep", .default_value = 1, .low = 1e-3, .high = 100},
               {.key = "freq", .default_value = 0, .low = -100, .high = 100},
               {.key = "pres", .default_value = 0, .low = -100, .high = 100},
               {.key = "last", .default_value = 64, .low = -1, .high = 1e9, .integer = true}},
    .is_off = is_off,
    .apply = apply};
