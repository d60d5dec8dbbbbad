/* step.c - one step of an engine: plan a batch for each model (plan.c), run it, let each text take its row. */
#include "take.h"

#include <math.h>

static bool tell_reading(Sequence *s) {
    const Reader *r = &s->reader[READS_TEXT];
    const GenerateOptions *o = &s->options;
    size_t prompt = s->step.prompt_count, read = reader_length(r);
    if (read > prompt) read = prompt;
    if (read <= s->told) return true;
    s->told = read;
    /* after each piece: a recurrent state is soon overwritten (state.h) */
    sequence_keep_prefixes(s);
    return !o->on_read || o->on_read(o->context, read - s->cached, prompt - s->cached);
}

/* Does it choose a token now?  It may end or fail here instead. */
static bool is_to_take(Sequence *s) {
    const Reader *r = &s->reader[READS_TEXT];
    if (s->step.look_ahead && !look_ahead_keep(&s->look, r->row, r->rows, &s->fault))
        return sequence_fail(s), false;
    if (!tell_reading(s)) return sequence_end(s, STOP_CALLER), false;
    if (s->told == s->step.prompt_count && s->options.limits.max_tokens == 0)
        return sequence_end(s, STOP_LIMIT), false;
    if (s->ready && s->result.prefill_seconds == 0)
        s->result.prefill_seconds = clock_seconds() - s->start;
    return s->ready;
}

static float *last_row(const Engine *e, const Reader *r) {
    return r->session ? part_row(&e->parts[r->part], r->row + r->rows - 1) : NULL;
}

static void take(const Engine *e, Sequence *s, Candidates *candidates) {
    const Reader *text = &s->reader[READS_TEXT];
    s->candidates = candidates;
    s->step.amateur = last_row(e, &s->reader[READS_AMATEUR]);
    s->step.unconditional = last_row(e, &s->reader[READS_NEGATIVE]);
    bool ok = s->draft ? draft_verify(s, part_row(&e->parts[text->part], text->row), &s->fault)
                       : sequence_take(s, last_row(e, text), &s->choice, &s->fault);
    s->dead_end |= !ok && candidates_max(candidates) == -INFINITY;
    if (!ok) sequence_fail(s);
}

/* A PoolTask: texts that need nothing but their rows. */
static void take_some(void *context, int worker, size_t begin, size_t end) {
    const Engine *e = context;
    for (size_t i = begin; i < end; i++)
        if (!e->taking[i]->step.look_ahead) take(e, e->taking[i], &e->candidates[worker]);
}

/* The models forget what was taken back, and read the last token that is left again. */
static void unread(Sequence *s) {
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && session_length(r->session, r->id) >= reader_total(s, r))
            session_rewind(r->session, r->id, reader_total(s, r) - 1);
}

static void take_all(Engine *e) {
    size_t n = 0;
    for (size_t i = 0; i < e->room; i++) {
        Sequence *s = &e->sequences[i];
        if (s->live && !s->held && is_to_take(s)) e->taking[n++] = s;
    }
    pool_for(e->parts[0].session->pool, n, 1, take_some, e);
    for (size_t i = 0; i < n; i++) {
        Sequence *s = e->taking[i];
        /* one by one, with the pool to itself: the stage runs the model */
        if (s->step.look_ahead) take(e, s, &e->candidates[0]);
        if (s->draft) draft_rollback(s);
        if (s->live && s->options.take_back) unread(s);
    }
    for (size_t i = 0; i < e->room; i++)
        if (e->sequences[i].live && e->sequences[i].options.shift)
            long_text_shift(e, &e->sequences[i]);
    e->live = 0;
    for (size_t i = 0; i < e->room; i++) e->live += e->sequences[i].live;
}

bool engine_step(Engine *e, Fault *fault) {
    if (!engine_draft(e, fault)) return false;
    engine_plan(e);
    for (size_t i = 0; i < e->n_parts; i++)
        if (!engine_forward(e, i, fault)) return false;
    take_all(e);
    return true;
}
