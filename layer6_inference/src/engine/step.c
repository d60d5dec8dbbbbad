/* step.c - one step of all texts: feed, choose, append.
 *
 *     feed      engine_plan() fills a batch for each model (plan.c), engine_forward() runs it
 *     choose    the chain of each ready text picks a token: sequence_choose() (sequence_take.c)
 *     append    the token joins its text, and may end it: sequence_append() */
#include "take.h"

#include <math.h>

static bool tell_reading(Sequence *s) {
    const Slot *slot = &s->slot[TEXT_SLOT];
    const GenerateOptions *o = &s->options;
    size_t prompt = s->step.prompt_count, read = slot_length(slot);
    if (read > prompt) read = prompt;
    if (read <= s->reported) return true;
    s->reported = read;
    /* after each batch: a recurrent state is soon overwritten (state.h) */
    sequence_keep_prefixes(s);
    return !o->on_read || o->on_read(o->context, read - s->cached, prompt - s->cached);
}

/* Does it choose a token now?  It may end or fail here instead. */
static bool is_to_take(Sequence *s) {
    EACH_EXTRA(x, s, read) {
        if (!x->kind->read(x, s, &s->fault)) return sequence_fail(s), false;
    }
    if (!tell_reading(s)) return sequence_end(s, STOP_CALLER), false;
    if (s->reported == s->step.prompt_count && s->options.limits.max_tokens == 0)
        return sequence_end(s, STOP_LIMIT), false;
    if (s->ready && s->result.prefill_seconds == 0)
        s->result.prefill_seconds = clock_seconds() - s->start;
    return s->ready;
}

static void take_token(void *sequence) {
    Sequence *s = sequence;
    Extra *x = s->taker;
    bool ok =
        x ? x->kind->take(x, s, &s->fault) : sequence_take(s, slot_row(s->slot), &s->fault);
    s->dead_end |= !ok && candidates_max(s->candidates) == -INFINITY;
    if (!ok) sequence_fail(s);
}

static void take_with(const Engine *e, Sequence *s, Candidates *candidates) {
    s->candidates = candidates;
    if (!e->guard)
        take_token(s);
    else if (!e->guard(take_token, s, &s->fault))
        sequence_fail(s);
}

/* A PoolTask: texts that need only their rows of logits. */
static void take_some(void *context, int worker, size_t begin, size_t end) {
    const Engine *e = context;
    for (size_t i = begin; i < end; i++)
        if (!e->taking[i]->plan.alone) take_with(e, e->taking[i], &e->candidates[worker]);
}

static void take_all(Engine *e) {
    size_t n = 0;
    for (size_t i = 0; i < e->room; i++) {
        Sequence *s = &e->sequences[i];
        if (s->live && !s->paused && is_to_take(s)) e->taking[n++] = s;
    }
    pool_for(e->runners[0].session->pool, n, 1, take_some, e);
    for (size_t i = 0; i < n; i++) {
        Sequence *s = e->taking[i];
        if (s->plan.alone) take_with(e, s, &e->candidates[0]);
        EACH_EXTRA(x, s, taken) x->kind->taken(x, s);
    }
    e->live = 0;
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        if (!s->live) continue;
        EACH_EXTRA(x, s, after) x->kind->after(x, e, s);
        e->live += s->live;
    }
}

bool engine_step(Engine *e, Fault *fault) {
    if (e->hooks.before_plan && !e->hooks.before_plan(e, fault)) return false;
    engine_plan(e);
    for (size_t i = 0; i < e->n_runners; i++)
        if (!engine_forward(e, i, fault)) return false;
    take_all(e);
    return true;
}
