/* step.c - one step of an engine: plan a batch for each model, run it, let each text take its row. */
#include "take.h"

static size_t missing(const Sequence *s, const Reader *r) {
    size_t total = reader_total(s, r), have = session_length(r->session, r->id);
    return total > have ? total - have : 0;
}

/* ------------------------------------------------------------------ the plan */

/* Tokens that a reader would read in this step, if there were room for all. */
static size_t wishes(const Sequence *s, size_t reader) {
    const Reader *r = &s->reader[reader];
    if (!r->session) return 0;
    if (!s->guess || !s->guess->made) return missing(s, r);
    return reader == READS_TEXT ? 1 + s->guess->count : 0;
}

/* Is a row of each of them wanted, not of the last one alone? */
static bool wants_every(const Sequence *s, size_t reader) {
    return reader == READS_TEXT && (s->step.look_ahead || (s->guess && s->guess->made));
}

static size_t row_room(const EnginePart *p) { return p->session->most_logits - p->rows; }

/* Can all its readers read all? */
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
    return i < total ? reader_token(s, r, i) : s->guess->text[i - total];
}

static void plan_reader(EnginePart *p, Sequence *s, size_t reader, bool ready) {
    Reader *r = &s->reader[reader];
    bool every = wants_every(s, reader);
    size_t n = wishes(s, reader), at = session_length(r->session, r->id);
    if (!ready && n) n--; /* the last one gives logits that somebody has to be there for */
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

/* All that a text lacks when there is room for it, and then it will be ready to choose; else a piece. */
static void plan_sequence(Engine *e, Sequence *s) {
    if (!has_context(s)) {
        sequence_fail(s);
        return;
    }
    s->ready = (!s->guess || s->guess->made) && fits(e, s);
    for (size_t i = 0; i < READERS; i++) s->reader[i].rows = 0;
    if (!s->ready && s->guess && s->guess->made) return; /* it is checked as a whole */
    for (size_t i = 0; i < READERS; i++)
        if (s->reader[i].session) plan_reader(&e->parts[s->reader[i].part], s, i, s->ready);
}

/* Does it lack no more than the token it took last? */
static bool is_writing(const Sequence *s) {
    if (s->guess) return s->guess->made;
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && missing(s, r) != 1) return false;
    return true;
}

static void plan(Engine *e) {
    for (size_t i = 0; i < e->n_parts; i++) e->parts[i].count = e->parts[i].rows = 0;
    for (int prompts = 0; prompts < 2; prompts++)
        for (size_t i = 0; i < e->room; i++) {
            Sequence *s = &e->sequences[(e->turn + i) % e->room];
            if (s->live && is_writing(s) != prompts) plan_sequence(e, s);
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
    if (read == prompt) sequence_keep_prefixes(s);
    return !o->on_read || o->on_read(o->context, read - s->cached, prompt - s->cached);
}

/* Does it choose a token now? */
static bool is_to_take(Sequence *s) {
    const Reader *r = &s->reader[READS_TEXT];
    if (s->step.look_ahead && !look_ahead_keep(&s->look, r->row, r->rows, &s->fault))
        return sequence_fail(s), false;
    if (!tell_reading(s)) return sequence_end(s, STOP_CALLER), false;
    if (s->told == s->step.prompt_count && s->options.limits.most_tokens == 0)
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
    bool ok = s->guess ? guess_take(s, part_row(&e->parts[text->part], text->row), &s->fault)
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
    for (size_t i = 0; i < n; i++) { /* these run the model by themselves */
        Sequence *s = e->taking[i];
        if (s->step.look_ahead) take(e, s, &e->candidates[0]);
        if (s->guess) guess_settle(s);
    }
    e->live = 0;
    for (size_t i = 0; i < e->room; i++) e->live += e->sequences[i].live;
}

bool engine_step(Engine *e, Fault *fault) {
    if (!engine_guess(e, fault)) return false;
    plan(e);
    for (size_t i = 0; i < e->n_parts; i++)
        if (!part_forward(&e->parts[i], fault)) return false;
    take_all(e);
    return true;
}
