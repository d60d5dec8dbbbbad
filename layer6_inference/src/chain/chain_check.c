/* chain_check.c - checks before a chain runs.  See chain.h. */
#include "chain.h"

#include <math.h>
#include <string.h>

const StageKind *chain_needs(const Chain *chain, unsigned needs) {
    for (size_t i = 0; chain && i < chain->count; i++)
        if (!stage_is_off(&chain->stages[i]) && chain->stages[i].kind->needs & needs)
            return chain->stages[i].kind;
    return NULL;
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

/* The first of its needs that the step does not have; NULL: none. */
static const char *lacks_of(const StageKind *kind, const Step *step) {
    if (kind->needs & NEEDS_AMATEUR && !step->amateur)
        return "the logits of a weaker model (strata generate --amateur or --early-layers)";
    if (kind->needs & NEEDS_GUIDE && !step->unconditional)
        return "logits without the prompt (strata generate brings them)";
    if (kind->needs & NEEDS_LOOK_AHEAD && !step->look_ahead)
        return "hidden states (strata generate brings them)";
    if (kind->needs & NEEDS_TOKENIZER && !step->tokenizer)
        return "a tokenizer: it works on the text of a model";
    return NULL;
}

/* A token has a byte or more. */
static bool check_lengths(const Stage *a, const Stage *b, Fault *fault) {
    if (stage_is_off(b) || !a->kind->most || !b->kind->least) return true;
    size_t least = b->kind->least(b), most = a->kind->most(a, least);
    return most >= least ||
           fault_set(fault,
                     "dead end: %s wants at least %zu tokens, and no text of %s has more than "
                     "%zu bytes",
                     b->kind->name, least, a->kind->name, most);
}

/* Stages that constrain texts: each two must have a text in common. */
static bool check_agree(const Chain *chain, Fault *fault) {
    for (size_t i = 0; i < chain->count; i++)
        for (size_t k = 0; k < chain->count; k++)
            if (!check_lengths(&chain->stages[i], &chain->stages[k], fault)) return false;
    for (size_t i = 0; i < chain->count; i++)
        for (size_t k = 0; k < i; k++) {
            const Stage *a = &chain->stages[k], *b = &chain->stages[i];
            if (a->kind->agrees && b->kind->agrees && !a->kind->agrees(a, b))
                return fault_set(fault,
                                 "dead end: no text obeys both %s (stage %zu) and %s "
                                 "(stage %zu)",
                                 a->kind->name, k + 1, b->kind->name, i + 1);
        }
    return true;
}

bool stage_check(const Stage *stage, const Step *step, size_t vocab, Fault *fault) {
    const StageKind *kind = stage->kind;
    const char *lacks = lacks_of(kind, step);
    if (lacks) return fault_set(fault, "%s needs %s", kind->name, lacks);
    if (vocab && kind->needs & NEEDS_AMATEUR &&
        !check_companion("the amateur", step->amateur, vocab, fault))
        return false;
    return !vocab || !(kind->needs & NEEDS_GUIDE) ||
           check_companion("the unconditional model", step->unconditional, vocab, fault);
}

bool chain_check(const Chain *chain, const Step *step, Fault *fault) {
    for (size_t i = 0; i < chain->count; i++) {
        const Stage *stage = &chain->stages[i];
        if (stage->kind->needs && !stage_is_off(stage) && !stage_check(stage, step, 0, fault))
            return false;
    }
    return check_agree(chain, fault);
}
