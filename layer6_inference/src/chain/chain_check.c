/* chain_check.c - checks before a chain runs.  See chain.h. */
#include "chain.h"

#include <math.h>
#include <string.h>

static const StageKind *chain_check_find(const Chain *chain,
                                         bool (*is)(const StageKind *kind)) {
    for (size_t i = 0; chain && i < chain->count; i++)
        if (!stage_is_off(&chain->stages[i]) && is(chain->stages[i].kind))
            return chain->stages[i].kind;
    return NULL;
}

static bool wants_amateur(const StageKind *kind) { return kind->needs_amateur; }
static bool wants_guide(const StageKind *kind) { return kind->needs_unconditional; }
static bool wants_look(const StageKind *kind) { return kind->needs_look_ahead; }

const Stage *chain_find(const Chain *chain, const char *name) {
    for (size_t i = 0; i < chain->count; i++)
        if (strcmp(chain->stages[i].kind->name, name) == 0 && !stage_is_off(&chain->stages[i]))
            return &chain->stages[i];
    return NULL;
}

const StageKind *chain_needs_amateur(const Chain *chain) {
    return chain_check_find(chain, wants_amateur);
}
const StageKind *chain_needs_guide(const Chain *chain) {
    return chain_check_find(chain, wants_guide);
}
const StageKind *chain_looks_ahead(const Chain *chain) {
    return chain_check_find(chain, wants_look);
}

static bool no_such_token(const Stage *stage, double id, size_t vocab, Fault *fault) {
    return fault_set(fault, "%s: there is no token %.0f, the vocabulary has 0 to %zu",
                     stage->kind->name, id, vocab - 1);
}

static bool check_tokens(const Stage *stage, size_t vocab, Fault *fault) {
    const StageKind *kind = stage->kind;
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++)
        if (kind->params[i].token && stage->value[i] >= (double)vocab)
            return no_such_token(stage, stage->value[i], vocab, fault);
    for (size_t i = 0; i < stage->n_list; i++)
        for (size_t k = 0; k < stage->list[i].count; k++)
            if ((size_t)stage->list[i].ids[k] >= vocab)
                return no_such_token(stage, stage->list[i].ids[k], vocab, fault);
    return true;
}

bool chain_check_tokens(const Chain *chain, size_t vocab, Fault *fault) {
    for (size_t i = 0; i < chain->count; i++)
        if (!check_tokens(&chain->stages[i], vocab, fault)) return false;
    return true;
}

/* A second model's logits: no NaN, and at least one above -infinity. */
static bool check_companion(const char *name, const float *logits, size_t n, Fault *fault) {
    float max = vector_max(logits, n);
    size_t i = 0;
    if (max == -INFINITY)
        return fault_set(fault, "dead end: every token has the logit -infinity in %s", name);
    if (max < INFINITY) return true;
    while (logits[i] < INFINITY) i++;
    return fault_set(fault, "bad numbers: in %s the logit of token %zu is %s", name, i,
                     isnan(logits[i]) ? "not a number" : "+infinity");
}

bool chain_check(const Chain *chain, const Step *step, size_t vocab, Fault *fault) {
    for (size_t i = 0; i < chain->count; i++) {
        const StageKind *kind = chain->stages[i].kind;
        if (vocab && !check_tokens(&chain->stages[i], vocab, fault)) return false;
        if (stage_is_off(&chain->stages[i])) continue;
        const char *lacks =
            kind->needs_amateur && !step->amateur
                ? "the logits of a weaker model (strata generate --amateur brings them)"
            : kind->needs_unconditional && !step->unconditional
                ? "logits without the prompt (strata generate brings them)"
            : kind->needs_look_ahead && !step->look_ahead
                ? "hidden states (strata generate brings them)"
            : kind->needs_tokenizer && !step->tokenizer
                ? "a tokenizer: it works on the text of a model"
                : NULL;
        if (lacks) return fault_set(fault, "%s needs %s", kind->name, lacks);
        if (vocab && kind->needs_amateur &&
            !check_companion("the amateur", step->amateur, vocab, fault))
            return false;
        if (vocab && kind->needs_unconditional &&
            !check_companion("the unconditional model", step->unconditional, vocab, fault))
            return false;
    }
    return true;
}
