/* past.c - see past.h. */
#include "past.h"

#include "long_text.h"

/* The salt's store; else an unused one, or the least recently used one.  NULL: answers draft
 * from all of them, or there is no memory; the answer then drafts from its own text. */
static PastStore *store_of(Past *past, uint64_t salt) {
    PastStore *best = NULL;
    for (PastStore *x = past->of; x < past->of + PAST_STORES; x++) {
        if (x->store && x->salt == salt) return x;
        if (!x->answers && (!best || x->used < best->used)) best = x;
    }
    if (!best) return NULL;
    suffix_store_close(best->store);
    *best = (PastStore){.store = suffix_store_open(PAST_NODES), .salt = salt};
    return best->store ? best : NULL;
}

/* Drafts go with nothing that chooses at a text's own pace (speculate.c) or drops its
 * tokens. */
static bool past_may_draft(const GenerateOptions *o) {
    for (const Extra *x = o->extras; x->kind; x++)
        if (x->kind->choose && !x->slot) return false;
    return !is_long_text(o);
}

void past_join(Past *past, Answer *a, const DraftKind *kind, size_t length) {
    if (!kind || !past_may_draft(&a->request.options)) return;
    a->speculation = (Speculation){.kind = kind, .length = length};
    PastStore *x = kind == &draft_suffix ? store_of(past, a->request.options.salt) : NULL;
    if (x) {
        a->speculation.past = x->store;
        x->answers++, x->used = ++past->clock;
    }
    with_draft(&a->request.options, &a->speculation);
}

void past_leave(Past *past, const Answer *a) {
    past->drafted += a->speculation.drafted, past->accepted += a->speculation.accepted;
    for (PastStore *x = past->of; x < past->of + PAST_STORES; x++)
        if (x->store && x->store == a->speculation.past) x->answers--;
}

void past_close(Past *past) {
    for (PastStore *x = past->of; x < past->of + PAST_STORES; x++) suffix_store_close(x->store);
}
