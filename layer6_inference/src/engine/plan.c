/* plan.c - which tokens of which texts go into the batches of a step.  See take.h. */
#include "take.h"

/* How many tokens it has not read yet. */
static size_t unread_of(const Sequence *s, const Slot *r) {
    size_t total = slot_total(s, r), have = slot_length(r);
    return total > have ? total - have : 0;
}

/* Positions that its context still has. */
static size_t context_room(const Slot *r) {
    return session_ctx(r->session) - session_length(r->session, r->id);
}

/* How many tokens a slot would read in this step, if there were room for all.  Of a text that
 * is longer than its context it is one more than there is room for, so that the text is not
 * ready. */
static size_t wishes(Sequence *s, const Slot *r) {
    size_t n = min_size(unread_of(s, r), context_room(r) + 1);
    if (r == s->slot) n += s->plan.n_drafted;
    EACH_EXTRA(x, s, wishes) n = x->kind->wishes(x, s, r, n);
    return n;
}

/* Is a row of logits wanted of each of them, not of the last one alone? */
static bool wants_every(const Sequence *s, const Slot *r) {
    return s->plan.every_row && r == s->slot;
}

static size_t row_room(const ModelRunner *p) { return p->session->max_logits - p->rows; }

/* Do all slots' unread tokens fit the quota, the context and this step's room for tokens and
 * for rows of logits: one for each token where every one is wanted, else one for each slot
 * that reads at all?  Several slots may share a part. */
static bool fits(const Engine *e, Sequence *s) {
    size_t tokens[ENGINE_MODELS] = {0}, rows[ENGINE_MODELS] = {0};
    for (const Slot *r = s->slot; r < s->slot + s->n_slots; r++) {
        size_t n = wishes(s, r);
        if (s->quota && n > s->quota) return false;
        if (n > context_room(r)) return false;
        tokens[r->runner] += n;
        rows[r->runner] += wants_every(s, r) ? n : n > 0;
    }
    for (size_t i = 0; i < e->n_runners; i++)
        if (tokens[i] > runner_room(&e->runners[i]) || rows[i] > row_room(&e->runners[i]))
            return false;
    return true;
}

/* The token for position i of a slot's memory: of the text, then of what is tried behind
 * it. */
static int32_t token_at(const Sequence *s, const Slot *r, size_t i) {
    size_t total = slot_total(s, r);
    i += r->gone;
    return i < total ? slot_token(s, r, i) : s->plan.drafted[i - total];
}

/* Tokens that it reads at once or not at all. */
static size_t least(const Slot *r) {
    return session_length(r->session, r->id) == 0 ? r->at_once : 0;
}

/* How many it may read in a step; 0: all. */
static size_t quota_of(const Sequence *s, const Slot *r) {
    return s->quota ? max_size(s->quota, least(r)) : 0;
}

/* Queue a slot's next tokens, those behind session_length, bounded by wishes, quota_of, the
 * room in the part's batch and, where every one wants logits, the room for rows; none where
 * that is less than what is read at once (least).  A text that is not ready leaves its last
 * token for later, because that one's logits are for a text that chooses.  Logits are wanted of
 * every token, or of the last one if the text is ready, or of none.  r->row is the first row
 * that it gets (the part's rows so far), r->rows how many. */
static void plan_slot(ModelRunner *p, Sequence *s, Slot *r, bool ready) {
    bool every = wants_every(s, r);
    size_t n = wishes(s, r), at = session_length(r->session, r->id);
    if (!ready && n) n--; /* the last token's logits are for a text that is ready to choose */
    if (n > runner_room(p)) n = runner_room(p);
    if (s->quota && n > quota_of(s, r)) n = quota_of(s, r);
    if (n < least(r)) n = 0;
    if (every && n > row_room(p)) n = row_room(p);
    r->row = p->rows;
    for (size_t i = 0; i < n; i++)
        runner_push(p, r->id, token_at(s, r, at + i), at + i, every || (ready && i + 1 == n));
    r->rows = p->rows - r->row;
}

static bool has_context(Sequence *s) {
    for (const Slot *r = s->slot; r < s->slot + s->n_slots; r++)
        if (s->ctx < SIZE_MAX && slot_total(s, r) > session_ctx(r->session))
            return fault_set(
                &s->fault,
                "the context is full at %zu tokens: wanted a longer one or a shorter text",
                session_ctx(r->session));
    return true;
}

/* Reserve pages for what it would read, and for one token more when it takes its token alone.
 * False when it has to wait, or has failed. */
static bool promise_pages(Engine *e, Sequence *s) {
    size_t tokens[SEQUENCE_SLOTS];
    for (size_t i = 0; i < s->n_slots; i++) {
        const Slot *r = &s->slot[i];
        size_t n = min_size(wishes(s, r), context_room(r));
        tokens[i] = min_size(n, runner_room(&e->runners[r->runner]));
        if (s->quota) tokens[i] = min_size(tokens[i], quota_of(s, r));
    }
    tokens[TEXT_SLOT] += s->plan.alone;
    return pages_promise(e, s, tokens);
}

/* Has whoever takes its tokens, if that is not the chain, made up their mind? */
static bool is_prepared(const Sequence *s) {
    return !s->taker || !s->taker->kind->is_ready || s->taker->kind->is_ready(s->taker);
}

/* All that a text has not read yet when there is room for it, and then it is ready to choose;
 * else a piece.  One without room in its context fails (sequence_fail), before anything else;
 * one that waits is left alone.  Tokens to be tried behind it (plan.behind) are read whole,
 * when it is ready, or not at all; one that is not prepared reads, but is never ready.  Nothing
 * is read without pages: where there are none, the text is not ready, and waits. */
static void plan_sequence(Engine *e, Sequence *s) {
    if (!has_context(s)) {
        sequence_fail(s);
        return;
    }
    if (s->plan.waits) return;
    s->ready = is_prepared(s) && fits(e, s);
    if (!s->ready && s->plan.drafted) return;
    if (!promise_pages(e, s)) {
        s->ready = false;
        return;
    }
    for (Slot *r = s->slot; r < s->slot + s->n_slots; r++)
        plan_slot(&e->runners[r->runner], s, r, s->ready);
}

/* Does every slot lack only the token that was chosen last, and what is tried behind it? */
static bool is_writing(Sequence *s) {
    for (const Slot *r = s->slot; r < s->slot + s->n_slots; r++)
        if (wishes(s, r) > 1 + s->plan.n_drafted) return false;
    return is_prepared(s);
}

static void begin_plan(Engine *e) {
    pages_begin(e);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        s->ready = false;
        for (size_t i = 0; i < s->n_slots; i++) s->slot[i].rows = 0;
        if (s->live && !s->paused && s->preempted) engine_resume(e, s);
    }
}

void engine_plan(Engine *e) {
    begin_plan(e);
    for (int pass = 0; pass < 2; pass++) { /* those that write come first, then prompts */
        const bool writing = pass == 0;
        for (size_t i = 0; i < e->room; i++) {
            Sequence *s = &e->sequences[(e->turn + i) % e->room];
            if (s->live && !s->paused && !s->in_batch && is_writing(s) == writing)
                plan_sequence(e, s);
        }
    }
    e->turn++;
}
