/* pages.c - KV pages for a step, and preemption when there are too few.
 *
 * A preempted sequence loses its pages but keeps its tokens, and is evaluated again when there
 * is room, to the same bits (decoder.h).  The policy is pages_victim alone: the lowest rank (by
 * default the first to join) is never preempted, so every sequence finishes. */
#include "prefix.h"
#include "take.h"

static bool holds_pages(const Sequence *s, size_t runner) {
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (slot->runner == runner && session_length(slot->session, slot->id)) return true;
    return false;
}

/* Whose pages `s` gets: a finished or waiting sequence's; else those of the highest rank
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
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++) slot_rewind(slot, 0);
    EACH_EXTRA(x, s, forget) x->kind->forget(x, s);
    s->preempted = true;
}

bool pages_take(Engine *e, const Sequence *s, size_t runner) {
    Sequence *t = pages_victim(e, s, runner);
    if (t) engine_preempt(e, t);
    return t != NULL;
}

static bool reserve_slot(Engine *e, const Sequence *s, const Slot *slot, size_t tokens) {
    ModelRunner *runner = &e->runners[slot->runner];
    KvCache *kv = &slot->session->kv;
    size_t length = session_length(slot->session, slot->id) + tokens;
    kv_slide(kv, slot->id);
    while (!kv_reserve(kv, slot->id, length, runner->pages))
        if (!pages_take(e, s, slot->runner)) return false;
    runner->pages += kv_pages_needed(kv, slot->id, length);
    return true;
}

/* No other sequence has pages of this model, or is about to take some. */
static bool is_alone(const Engine *e, const Sequence *s, size_t runner) {
    for (const Sequence *t = e->sequences; t < e->sequences + e->room; t++)
        if (t != s && t->live && (t->in_batch || holds_pages(t, runner))) return false;
    return true;
}

bool pages_reserve(Engine *e, Sequence *s, const size_t *tokens) {
    size_t before[ENGINE_MODELS];
    for (size_t i = 0; i < e->n_runners; i++) before[i] = e->runners[i].pages;
    for (size_t i = 0; i < s->n_slots; i++) {
        const Slot *slot = &s->slot[i];
        if (tokens[i] == 0 || reserve_slot(e, s, slot, tokens[i])) continue;
        for (size_t k = 0; k < e->n_runners; k++) e->runners[k].pages = before[k];
        if (is_alone(e, s, slot->runner)) {
            fault_set(&s->fault,
                      "the KV cache has %zu pages, too few for the %zu tokens of this text "
                      "alone: give it more pages, or shorten the text",
                      slot->session->kv.pages.count,
                      session_length(slot->session, slot->id) + tokens[i]);
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
