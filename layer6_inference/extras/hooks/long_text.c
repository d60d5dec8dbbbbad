/* long_text.c - see long_text.h. */
#include "long_text.h"
#include "engine/take.h"
#include "families.h"
#include "shift.h"

/* Tokens to keep, in whole pages, at least one. */
static size_t long_text_kept(size_t keep) {
    size_t pages = (keep + KV_PAGE - 1) / KV_PAGE;
    return (pages ? pages : 1) * KV_PAGE;
}

/* Positions to remove at a time. */
static size_t long_text_cut(size_t keep, const Session *session) {
    size_t ctx = session_ctx(session), kept = long_text_kept(keep),
           half = ctx > kept ? (ctx - kept) / 2 : 0;
    return min_size(half, shift_max(&session->kv, kept)) / KV_PAGE * KV_PAGE;
}

static bool long_text_fits(const Session *session, size_t keep, Fault *fault) {
    if (!session_can_shift(session, fault))
        return fault_prefix(fault, "this model's context cannot be shifted"), false;
    return long_text_cut(keep, session) ||
           fault_set(fault,
                     "a context of %zu tokens is too short to shift: wanted the %zu kept "
                     "tokens, two pages of %d, and more than the attention window",
                     session_ctx(session), long_text_kept(keep), KV_PAGE);
}

/* The text ends if there is no memory to copy its shared pages. */
static void long_text_shift(Extra *x, Engine *e, Sequence *s) {
    (void)x;
    for (Slot *r = s->slot; r < s->slot + s->n_slots; r++) {
        if (session_length(r->session, r->id) < session_ctx(r->session) ||
            slot_total(s, r) == slot_length(r))
            continue;
        while (!session_shift(r->session, r->id, r->sink_tokens, r->drop_step))
            if (!pages_take(e, s, r->runner)) {
                fault_set(&s->fault,
                          "the KV cache is too small to shift a text whose pages are shared");
                sequence_fail(s);
                return;
            }
        r->dropped += r->drop_step;
    }
}

static bool long_text_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)e;
    const size_t keep = x->count;
    for (Slot *r = s->slot; r < s->slot + s->n_slots; r++) {
        if (!long_text_check(r->session, &s->options, fault)) return false;
        r->sink_tokens = long_text_kept(keep), r->drop_step = long_text_cut(keep, r->session);
    }
    s->ctx = SIZE_MAX;
    return true;
}

static const ExtraKind long_text_kind = {.open = long_text_open, .after = long_text_shift};

static const Extra *long_text_of(const GenerateOptions *o) {
    const Extra *x = o->extras;
    while (x->kind && x->kind != &long_text_kind) x++;
    return x->kind ? x : NULL;
}

void with_long_text(GenerateOptions *o, size_t keep) {
    generate_with(o, (Extra){.kind = &long_text_kind, .count = keep});
}

bool is_long_text(const GenerateOptions *o) { return long_text_of(o) != NULL; }

bool long_text_check(const Session *session, const GenerateOptions *o, Fault *fault) {
    const Extra *self = long_text_of(o);
    bool looks_back = chain_needs(o->chain, NEEDS_LOOK_AHEAD) != NULL;
    if (!self) return true;
    for (const Extra *x = o->extras; x->kind; x++) looks_back |= x->kind->taken != NULL;
    if (looks_back)
        return fault_set(fault, "a shifted context does not go with drafts, banned texts or "
                                "stages that look ahead");
    return long_text_fits(session, self->count, fault);
}
