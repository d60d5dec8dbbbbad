/* pages.c - KV pages for a step, and preemption when there are too few.
 *
 * A preempted sequence loses its pages but keeps its tokens, and is evaluated again when there
 * is room, to the same bits (decoder.h).  The policy is pages_victim alone: the lowest rank (by
 * default the first to join) is never preempted, so every sequence finishes. */
#include "prefix.h"
#include "take.h"

static bool holds_pages(const Sequence *s, size_t runner) {
    for (const Slot *r = s->slot; r < s->slot + s->n_slots; r++)
        if (r->runner == runner && session_length(r->session, r->id)) return true;
    return false;
}

/* Whose pages go to `s`: a finished or waiting sequence's; else those of the highest rank
 * behind `s` that is not in the batch; NULL: none. */
static Sequence *pages_victim(Engine *e, const Sequence *s, size_t runner) {
    Sequence *last = NULL;
    for (Sequence *t = e->sequences; t < e->sequences + e->room; t++) {
        if (t == s || !holds_pages(t, runner)) continue;
        if (!t->live || t->plan.waits) return t;
        if (t->in_batch || t->rank < s->rank) continue;
        if (!last || t->rank > last->rank) last = t;
    }
    return last;
}

/* Whole pages are kept as prefixes until they are needed. */
void engine_preempt(Engine *e, Sequence *s) {
    e->preemptions += s->live;
    sequence_keep_prefixes(s);
    for (Slot *r = s->slot; r < s->slot + s->n_slots; r++) slot_rewind(r, 0);
    EACH_EXTRA(x, s, forget) x->kind->forget(x, s);
    s->preempted = true;
}

bool pages_take(Engine *e, const Sequence *s, size_t runner) {
    Sequence *t = pages_victim(e, s, runner);
    if (t) engine_preempt(e, t);
    return t != NULL;
}

static bool promise_slot(Engine *e, const Sequence *s, const Slot *r, size_t tokens) {
    ModelRunner *p = &e->runners[r->runner];
    KvCache *kv = &r->session->kv;
    size_t length = session_length(r->session, r->id) + tokens;
    kv_slide(kv, r->id);
    while (!kv_reserve(kv, r->id, length, p->pages))
        if (!pages_take(e, s, r->runner)) return false;
    p->pages += kv_pages_needed(kv, r->id, length);
    return true;
}

/* No other sequence has pages of this model, or is about to take some. */
static bool is_alone(const Engine *e, const Sequence *s, size_t runner) {
    for (const Sequence *t = e->sequences; t < e->sequences + e->room; t++)
        if (t != s && t->live && (t->in_batch || holds_pages(t, runner))) return false;
    return true;
}

bool pages_promise(Engine *e, Sequence *s, const size_t *tokens) {
    size_t promised[ENGINE_MODELS];
    for (size_t i = 0; i < e->n_runners; i++) promised[i] = e->runners[i].pages;
    for (size_t i = 0; i < s->n_slots; i++) {
        const Slot *r = &s->slot[i];
        if (tokens[i] == 0 || promise_slot(e, s, r, tokens[i])) continue;
        for (size_t k = 0; k < e->n_runners; k++) e->runners[k].pages = promised[k];
        if (is_alone(e, s, r->runner)) {
            fault_set(&s->fault,
                      "the KV cache has %zu pages, too few for the %zu tokens of this text "
                      "alone: give it more pages, or shorten the text",
                      r->session->kv.pages.count,
                      session_length(r->session, r->id) + tokens[i]);
            sequence_fail(s);
        }
        return false;
    }
    return s->in_batch = true;
}

void pages_begin(Engine *e) {
    for (size_t i = 0; i < e->n_runners; i++)
        e->runners[i].pages = e->runners[i].count = e->runners[i].rows = 0;
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) s->in_batch = false;
}
