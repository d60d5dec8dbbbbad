/* plan.c - which tokens of which texts go into the batches of a step.  See take.h. */
#include "take.h"

/* How many tokens it has not read yet. */
static size_t missing(const Sequence *s, const Reader *r) {
    size_t total = reader_total(s, r), have = reader_length(r);
    return total > have ? total - have : 0;
}

/* Positions that its context still has. */
static size_t context_room(const Reader *r) {
    return session_ctx(r->session) - session_length(r->session, r->id);
}

/* How many tokens a reader would read in this step, if there were room for all.  Of a text that is longer than its
 * context it is one more than there is room for, so that the text is not ready. */
static size_t wishes(const Sequence *s, size_t reader) {
    const Reader *r = &s->reader[reader];
    if (!r->session) return 0;
    if (s->draft && s->draft->made) return reader == READS_TEXT ? 1 + s->draft->count : 0;
    size_t n = min_size(missing(s, r), context_room(r) + 1);
    if (reader == READS_DRAFT && has_draft_head(s)) /* not what the model reads in this step */
        n = min_size(n, draft_head_reach(s) - min_size(draft_head_reach(s), reader_length(r)));
    return n;
}

/* Is a row of logits wanted of each of them, not of the last one alone? */
static bool wants_every(const Sequence *s, size_t reader) {
    return reader == READS_TEXT && (s->step.look_ahead || (s->draft && s->draft->made));
}

static size_t row_room(const EnginePart *p) { return p->session->max_logits - p->rows; }

/* May each of its readers read all that it lacks (the quota), has its context room for that (context_room), and is there
 * room in the batches for all that its readers would read, and for the rows of logits that come of it: one for each token
 * where every one is wanted, else one for each reader that reads at all?  Several readers may share a part. */
static bool fits(const Engine *e, const Sequence *s) {
    size_t tokens[ENGINE_PARTS] = {0}, rows[ENGINE_PARTS] = {0};
    for (size_t i = 0; i < READERS; i++) {
        size_t n = wishes(s, i);
        if (s->quota && n > s->quota) return false;
        if (s->reader[i].session && n > context_room(&s->reader[i])) return false;
        tokens[s->reader[i].part] += n;
        rows[s->reader[i].part] += wants_every(s, i) ? n : n > 0;
    }
    for (size_t i = 0; i < e->n_parts; i++)
        if (tokens[i] > part_room(&e->parts[i]) || rows[i] > row_room(&e->parts[i]))
            return false;
    return true;
}

/* The token for position i of a reader's memory: of the text, then of its draft. */
static int32_t token_at(const Sequence *s, const Reader *r, size_t i) {
    size_t total = reader_total(s, r);
    i += r->gone;
    return i < total ? reader_token(s, r, i) : s->draft->text[i - total];
}

/* Tokens that it reads at once or not at all: a source. */
static size_t least(const Sequence *s, const Reader *r) {
    return r->session && session_length(r->session, r->id) == 0 ? reader_source(s, r) : 0;
}

/* How many it may read in a step; 0: all. */
static size_t quota_of(const Sequence *s, const Reader *r) {
    return s->quota ? max_size(s->quota, least(s, r)) : 0;
}

/* Push what a reader reads in this step: the tokens behind those it has read (session_length), as many as it wishes, as its
 * quota allows (quota_of), as there is room for in the part's batch and, where every one wants logits, rows for; or none,
 * where that is less than what is read at once (least).  A text that is not ready leaves its last token for later, because
 * that one's logits are for a text that chooses.  Logits are wanted of every token, or of the last one if the text is ready,
 * or of none.  r->row is the first row that it gets (the part's rows so far), r->rows how many. */
static void plan_reader(EnginePart *p, Sequence *s, size_t reader, bool ready) {
    Reader *r = &s->reader[reader];
    bool every = wants_every(s, reader);
    size_t n = wishes(s, reader), at = session_length(r->session, r->id);
    if (!ready && n) n--; /* the last token's logits are for a text that is ready to choose */
    if (n > part_room(p)) n = part_room(p);
    if (s->quota && n > quota_of(s, r)) n = quota_of(s, r);
    if (n < least(s, r)) n = 0;
    if (every && n > row_room(p)) n = row_room(p);
    r->row = p->rows;
    for (size_t i = 0; i < n; i++)
        part_push(p, r->id, token_at(s, r, at + i), at + i, every || (ready && i + 1 == n));
    r->rows = p->rows - r->row;
}

static bool has_context(Sequence *s) {
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && !s->options.shift && reader_total(s, r) > session_ctx(r->session))
            return fault_set(
                &s->fault,
                "the context is full at %zu tokens: wanted a longer one or a shorter text",
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
        if (s->options.shift && tokens[i])
            tokens[i] = min_size(tokens[i], context_room(&s->reader[i]));
        if (tokens[i] > room) tokens[i] = room;
        if (s->quota) tokens[i] = min_size(tokens[i], quota_of(s, &s->reader[i]));
    }
    tokens[READS_TEXT] += s->step.look_ahead != NULL;
    return pages_promise(e, s, tokens);
}

/* All that a text has not read yet when there is room for it, and then it is ready to choose; else a piece.  One without
 * room in its context fails (sequence_fail), and before anything else; one that waits is left alone.  A draft is verified as
 * a whole: a text with one that is made is planned when it is ready, and one that still wants a draft reads, but is never
 * ready.  Nothing is read without pages: where there are none, the text is not ready, and waits. */
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
        if (s->live && !s->held && s->preempted) engine_resume(e, s);
    }
}

void engine_plan(Engine *e) {
    begin_plan(e);
    for (int pass = 0; pass < 2; pass++) { /* those that write come first, then prompts */
        const bool writing = pass == 0;
        for (size_t i = 0; i < e->room; i++) {
            Sequence *s = &e->sequences[(e->turn + i) % e->room];
            if (s->live && !s->held && !s->in_batch && is_writing(s) == writing)
                plan_sequence(e, s);
        }
    }
    e->turn++;
}
