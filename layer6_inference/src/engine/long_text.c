/* long_text.c - texts that are longer than their context.  See take.h, and shift.h for what is lost.
 *
 * A reader whose memory is full, and that has more to read, has old positions cut out: half of those behind
 * the kept ones, in whole pages.  When that happens depends on the text alone, and a text that reads itself
 * again after a preemption does it at the same places.  So its tokens are the same whatever happens. */
#include "generate.h"
#include "shift.h"
#include "take.h"

/* The first tokens that stay, in whole pages: one at least. */
static size_t kept(const GenerateOptions *o) {
    size_t pages = (o->keep + KV_PAGE - 1) / KV_PAGE;
    return (pages ? pages : 1) * KV_PAGE;
}

/* How many positions are cut out at a time. */
static size_t cut(const GenerateOptions *o, const Session *session) {
    size_t ctx = session_ctx(session), half = ctx > kept(o) ? (ctx - kept(o)) / 2 : 0;
    return min_size(half, shift_most(&session->kv, kept(o))) / KV_PAGE * KV_PAGE;
}

bool generate_check_shift(const Session *session, const GenerateOptions *o, Fault *fault) {
    if (!o->shift) return true;
    if (o->speculation || o->take_back || chain_looks_ahead(o->chain))
        return fault_set(fault, "what is cut out of a full context cannot be looked back at: "
                                "no drafts, no banned texts, no stage that looks ahead");
    if (!session_can_shift(session, fault))
        return fault_prefix(fault, "nothing can be cut out of a full context"), false;
    return cut(o, session) ||
           fault_set(fault,
                     "a context of %zu tokens is too short to cut anything out of: wanted the "
                     "%zu that are kept, two pages of %d, and more than the model's window",
                     session_ctx(session), kept(o), KV_PAGE);
}

bool long_text_check(const Sequence *s, Fault *fault) {
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && !generate_check_shift(r->session, &s->options, fault)) return false;
    return true;
}

size_t reader_kept(const Sequence *s, const Reader *r) {
    size_t length = session_length(r->session, r->id);
    return r->gone ? min_size(length, kept(&s->options)) : length;
}

bool reader_has_state_of(const Sequence *s, const Reader *a, const Sequence *t, size_t n) {
    return t->options.shift && kept(&s->options) == kept(&t->options) &&
           n >= a->gone + session_ctx(a->session) - cut(&s->options, a->session);
}

void long_text_shift(Engine *e, Sequence *s) {
    for (Reader *r = s->reader; r < s->reader + READERS; r++) {
        if (!r->session || session_length(r->session, r->id) < session_ctx(r->session) ||
            reader_total(s, r) == reader_length(r))
            continue;
        size_t gone = cut(&s->options, r->session);
        while (!session_shift(r->session, r->id, kept(&s->options), gone))
            if (!pages_take(e, s, r->part)) {
                fault_set(&s->fault, "the memory of keys and values is too small to cut "
                                     "anything out of a text whose pages others share");
                sequence_fail(s);
                return;
            }
        r->gone += gone;
    }
}
