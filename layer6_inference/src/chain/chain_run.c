/* chain_run.c - run the stages of a chain.  See chain.h. */
#include "chain.h"

#include <math.h>

/* Every stage must leave a token above -infinity, and no logit that is NaN or +infinity. */
static bool check_left(const Stage *stage, Candidates *c, Fault *fault) {
    float max = candidates_max(c);
    size_t i = 0;
    if (max > -INFINITY && max < INFINITY) return true;
    if (max == -INFINITY)
        return fault_set(fault, "dead end: %s left no token that may come next%s",
                         stage->kind->name,
                         stage->kind->why_none ? stage->kind->why_none(stage) : "");
    while (i + 1 < c->count && c->logits[i] < INFINITY) i++;
    return fault_set(
        fault,
        "bad numbers: %s made the logit of token %d %s; the logits, or what it adds to "
        "them, are too large",
        stage->kind->name, candidates_id(c, i),
        isnan(c->logits[i]) ? "something that is no number" : "infinite");
}

static bool none_selected(const Chain *chain, Fault *fault) {
    return fault_set(fault,
                     "%s selected no token: there is no room to look ahead, or what it "
                     "saw are no numbers",
                     chain->stages[chain->count - 1].kind->name);
}

bool chain_run(Chain *chain, Candidates *c, const Step *step, int32_t *token, Fault *fault) {
    if (c->vocab != chain->vocab && !chain_check_tokens(chain, c->vocab, fault)) return false;
    if (chain->observer) chain->observer(chain->observer_context, NULL, c);
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        bool on = !stage_is_off(stage);
        if (on && stage->kind->needs && !stage_check(stage, step, c->vocab, fault))
            return false;
        if (on) stage->kind->apply(stage, c, step);
        if (!check_left(stage, c, fault)) return false;
        if (chain->observer) chain->observer(chain->observer_context, stage, c);
    }
    if (c->chosen < 0) return none_selected(chain, fault);
    *token = c->chosen;
    return true;
}
