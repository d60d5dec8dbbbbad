/* step.c - one step of an engine: plan a batch for each model, run it, let each text take its row. */
#include "take.h"

static size_t missing(const Sequence *s, const Reader *r) {
    size_t total = reader_total(s, r), have = session_length(r->session, r->id);
    return total > have ? total - have : 0;
}

/* ------------------------------------------------------------------ the plan */

/* How many tokens a reader would read in this step, if there were room for all. */
static size_t wishes(const Sequence *s, size_t reader) {
    const Reader *r = &s->reader[reader];
    if (!r->session) return 0;
    if (!s->draft || !s->draft->made) return missing(s, r);
    return reader == READS_TEXT ? 1 + s->draft->count : 0;
}

/* Is a row of logits wanted of each of them, not of the last one alone? */
static bool wants_every(const Sequence *s, size_t reader) {
    return reader == READS_TEXT && (s->step.look_ahead || (s->draft && s->draft->made));
}

static size_t row_room(const EnginePart *p) { return p->session->max_logits - p->rows; }

/* Is there room in the batches for all that its readers would read? */
static bool fits(const Engine *e, const Sequence *s) {
    size_t tokens[ENGINE_PARTS] = {0}, rows[ENGINE_PARTS] = {0};
    for (size_t i = 0; i < READERS; i++) {
        size_t n = wishes(s, i);
        tokens[s->reader[i].part] += n;
        rows[s->reader[i].part] += wants_every(s, i) ? n : n > 0;
    }
    for (size_t i = 0; i < e->n_parts; i++)
        if (tokens[i] > part_room(&e->parts[i]) || rows[i] > row_room(&e->parts[i]))
            return false;
    return true;
}

static int32_t token_at(const Sequence *s, const Reader *r, size_t i) {
    size_t total = reader_total(s, r);
    return i < total ? reader_token(s, r, i) : s->draft->text[i - total];
}

static void plan_reader(EnginePart *p, Sequence *s, size_t reader, bool ready) {
    Reader *r = &s->reader[reader];
    bool every = wants_every(s, reader);
    size_t n = wishes(s, reader), at = session_length(r->session, r->id);
    if (!ready && n) n--; /* the last token's logits are for a text that is ready to choose */
    if (n > part_room(p)) n = part_room(p);
    if (every && n > row_room(p)) n = row_room(p);
    r->row = p->rows;
    for (size_t i = 0; i < n; i++)
        part_push(p, r->id, token_at(s, r, at + i), at + i, every || (ready && i + 1 == n));
    r->rows = p->rows - r->row;
}

static bool has_context(Sequence *s) {
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && reader_total(s, r) > session_ctx(r->session))
            return fault_set(
                &s->fault,
                "the context is full at %zu tokens: give a larger --ctx or a shorter text",
                session_ctx(r->session));
    return true;
}

/* Reserve pages for what it would read, and for one token more when it looks ahead.  False when it has to
 * wait, or has failed. */
static bool promise_pages(Engine *e, Sequence *s) {
    size_t tokens[READERS];
    for (size_t i = 0; i < READERS; i++) {
        size_t room = part_room(&e->parts[s->reader[i].part]);
        tokens[i] = wishes(s, i);
        if (tokens[i] > room) tokens[i] = room;
    }
    tokens[READS_TEXT] += s->step.look_ahead != NULL;
    return pages_promise(e, s, tokens);
}

/* All that a text has not read yet when there is room for it, and then it is ready to choose; else a piece. */
static void plan_sequence(Engine *e, Sequence *s) {
    if (!has_context(s)) {
        sequence_fail(s);
        return;
    }
    if (sequence_waits(s)) return;
    s->ready = (!s->draft || s->draft->made) && fits(e, s);
    if (!s->ready && s->draft && s->draft->made) return; /* a draft is verified as a whole */
    if (!promise_pages(e, s)) {
        s->ready = false;
        return;
    }
    for (size_t i = 0; i < READERS; i++)
        if (s->reader[i].session) plan_reader(&e->parts[s->reader[i].part], s, i, s->ready);
}

/* Does every reader lack only the token that was chosen last? */
static bool is_writing(const Sequence *s) {
    if (s->draft) return s->draft->made;
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && missing(s, r) != 1) return false;
    return true;
}

static void begin_plan(Engine *e) {
    pages_begin(e);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        s->ready = false;
        for (size_t i = 0; i < READERS; i++) s->reader[i].rows = 0;
        if (s->live && s->preempted) engine_share(e, s);
    }
}

static void plan(Engine *e) {
    begin_plan(e);
    for (int pass = 0; pass < 2; pass++) { /* those that write come first, then prompts */
        const bool writing = pass == 0;
        for (size_t i = 0; i < e->room; i++) {
            Sequence *s = &e->sequences[(e->turn + i) % e->room];
            if (s->live && !s->in_batch && is_writing(s) == writing) plan_sequence(e, s);
        }
    }
    e->turn++;
}

/* ------------------------------------------------------------------ after the forward pass */

static bool tell_reading(Sequence *s) {
    const Reader *r = &s->reader[READS_TEXT];
    const GenerateOptions *o = &s->options;
    size_t prompt = s->step.prompt_count, read = session_length(r->session, r->id);
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
    if (!ok) sequence_fail(s);
}

/* A PoolTask: texts that need nothing but their rows. */
static void take_some(void *context, int worker, size_t begin, size_t end) {
    const Engine *e = context;
    for (size_t i = begin; i < end; i++)
        if (!e->taking[i]->step.look_ahead) take(e, e->taking[i], &e->candidates[worker]);
}

static void take_all(Engine *e) {
    size_t n = 0;
    for (size_t i = 0; i < e->room; i++) {
        Sequence *s = &e->sequences[i];
        if (s->live && is_to_take(s)) e->taking[n++] = s;
    }
    pool_for(e->parts[0].session->pool, n, 1, take_some, e);
    for (size_t i = 0; i < n; i++) {
        Sequence *s = e->taking[i];
        /* one by one, with the pool to itself: the stage runs the model */
        if (s->step.look_ahead) take(e, s, &e->candidates[0]);
        if (s->draft) draft_rollback(s);
    }
    e->live = 0;
    for (size_t i = 0; i < e->room; i++) e->live += e->sequences[i].live;
}

bool engine_step(Engine *e, Fault *fault) {
    if (!engine_draft(e, fault)) return false;
    plan(e);
    for (size_t i = 0; i < e->n_parts; i++)
        if (!part_forward(&e->parts[i], fault)) return false;
    take_all(e);
    return true;
}
