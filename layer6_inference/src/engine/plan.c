/* plan.c - which tokens of which sequences go into a step's batches.  See take.h. */
#include "take.h"

static size_t unread_of(const Sequence *s, const Slot *slot) {
    size_t total = slot_total(s, slot), have = slot_length(slot);
    return total > have ? total - have : 0;
}

/* Free positions in the slot's context. */
static size_t context_room(const Slot *slot) {
    return session_ctx(slot->session) - session_length(slot->session, slot->id);
}

/* Tokens a slot would read in this step with unlimited room.  For a text longer than the
 * context, one more than fits, so that the text is not ready. */
static size_t tokens_to_read(Sequence *s, const Slot *slot) {
    size_t n = min_size(unread_of(s, slot), context_room(slot) + 1) + s->plan.n_drafted;
    EACH_EXTRA(x, s, wishes) n = x->kind->wishes(x, s, slot, n);
    return n;
}

/* Does it need logits for every token, not only the last? */
static bool needs_all_logits(const Sequence *s, const Slot *slot) {
    return s->plan.every_row && (slot == s->slot || s->plan.drafted);
}

static size_t row_room(const ModelRunner *p) { return p->session->max_logits - p->rows; }

/* Do all slots' unread tokens fit the quota, the context and this step's room for tokens and
 * for rows of logits?  Several slots may share a runner. */
static bool fits(const Engine *e, Sequence *s) {
    size_t tokens[ENGINE_MODELS] = {0}, rows[ENGINE_MODELS] = {0};
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++) {
        size_t n = tokens_to_read(s, slot);
        if (s->quota && n > s->quota) return false;
        if (n > context_room(slot)) return false;
        tokens[slot->runner] += n;
        rows[slot->runner] += needs_all_logits(s, slot) ? n : n > 0;
    }
    for (size_t i = 0; i < e->n_runners; i++)
        if (tokens[i] > runner_room(&e->runners[i]) || rows[i] > row_room(&e->runners[i]))
            return false;
    return true;
}

/* The token at position i of a slot's memory: of the text, then of its draft. */
static int32_t token_at(const Sequence *s, const Slot *slot, size_t i) {
    size_t total = slot_total(s, slot);
    i += slot->dropped;
    return i < total ? slot_token(s, slot, i) : s->plan.drafted[i - total];
}

/* A token's place in its group (Session.group_of), and how much of that is left. */
static size_t group_of(const Slot *slot, int32_t token, size_t *left) {
    const Session *session = slot->session;
    *left = 0;
    return session->group_of ? session->group_of(session, token, left) : 0;
}

/* Tokens that must be read in one batch or not at all: an encoder's source, or a picture whose
 * rows see each other. */
static size_t at_least(const Slot *slot) {
    return session_length(slot->session, slot->id) == 0 ? max_size(slot->at_once, slot->left)
                                                        : slot->left;
}

/* How many it may read in a step, if the text has a quota. */
static size_t quota_of(const Sequence *s, const Slot *slot) {
    return max_size(s->quota, at_least(slot));
}

/* Of n tokens from position `at` on, those before a group (group_of) that is cut. */
static size_t before_cut(const Sequence *s, const Slot *slot, size_t at, size_t n) {
    const bool all = at + n + slot->dropped >= slot_total(s, slot);
    size_t left;
    return all ? n : n - group_of(slot, token_at(s, slot, at + n), &left);
}

/* Queue a slot's next tokens, bounded by tokens_to_read, quota_of, the runner's room, and room
 * for logits where every token needs them; no group is cut (before_cut), and none are queued
 * if fewer fit than must be read at once (at_least).  A text that is not ready keeps its last
 * token for later.  slot->row: its first row of logits; slot->rows: how many. */
static void plan_slot(ModelRunner *p, Sequence *s, Slot *slot, bool ready) {
    bool every = needs_all_logits(s, slot);
    size_t n = tokens_to_read(s, slot), at = session_length(slot->session, slot->id);
    if (!ready && n) n--; /* its logits are needed only when the text is ready */
    if (n > runner_room(p)) n = runner_room(p);
    if (s->quota && n > quota_of(s, slot)) n = quota_of(s, slot);
    if (n < at_least(slot)) n = 0;
    if (every && n > row_room(p)) n = row_room(p);
    n = before_cut(s, slot, at, n);
    slot->row = p->rows;
    for (size_t i = 0; i < n; i++)
        runner_push(p, slot->id, token_at(s, slot, at + i), at + i,
                    every || (ready && i + 1 == n));
    slot->rows = p->rows - slot->row;
}

static bool has_context(Sequence *s) {
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (s->ctx < SIZE_MAX && slot_total(s, slot) > session_ctx(slot->session))
            return fault_set(
                &s->fault,
                "the context is full at %zu tokens: wanted a longer one or a shorter text",
                session_ctx(slot->session));
    return true;
}

/* Reserve pages for what it would read (one token more if it is planned alone).  False: it has
 * to wait, or has failed. */
static bool reserve_pages(Engine *e, Sequence *s) {
    size_t tokens[SEQUENCE_SLOTS];
    for (size_t i = 0; i < s->n_slots; i++) {
        const Slot *slot = &s->slot[i];
        size_t n = min_size(tokens_to_read(s, slot), context_room(slot));
        tokens[i] = min_size(n, runner_room(&e->runners[slot->runner]));
        if (s->quota) tokens[i] = min_size(tokens[i], quota_of(s, slot));
    }
    tokens[TEXT_SLOT] += s->plan.alone;
    return pages_reserve(e, s, tokens);
}

/* If an extra chooses the text's tokens, is the extra ready? */
static bool extra_is_ready(const Sequence *s) {
    return !s->taker || !s->taker->kind->is_ready || s->taker->kind->is_ready(s->taker);
}

/* Queue everything unread if it fits, and then the text is ready to choose; else a part of it.
 * A draft is read whole, by a ready text, or not at all.  Without context the sequence fails;
 * without pages it waits, not ready. */
static void plan_sequence(Engine *e, Sequence *s) {
    if (!has_context(s)) {
        sequence_fail(s);
        return;
    }
    if (s->plan.waits) return;
    s->ready = extra_is_ready(s) && fits(e, s);
    if (!s->ready && s->plan.drafted) return;
    if (!reserve_pages(e, s)) {
        s->ready = false;
        return;
    }
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        plan_slot(&e->runners[slot->runner], s, slot, s->ready);
}

/* Does every slot lack only the last token and the draft? */
static bool is_decoding(Sequence *s) {
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (tokens_to_read(s, slot) > 1 + s->plan.n_drafted) return false;
    return extra_is_ready(s);
}

/* What is left of the group that the next token is in, which no quota cuts. */
static void begin_groups(Sequence *s) {
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++) {
        const size_t at = slot_length(slot);
        slot->left = 0;
        if (at < slot_total(s, slot)) group_of(slot, slot_token(s, slot, at), &slot->left);
        if (s->quota) s->quota = max_size(s->quota, slot->left);
    }
}

static void begin_plan(Engine *e) {
    pages_begin(e);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        s->ready = false;
        for (size_t i = 0; i < s->n_slots; i++) s->slot[i].rows = 0;
        if (s->live && !s->paused && s->preempted) engine_resume(e, s);
        if (s->live) begin_groups(s);
    }
}

void engine_plan(Engine *e) {
    begin_plan(e);
    for (int pass = 0; pass < 2; pass++) { /* decoding texts first, then prefill */
        const bool decoding = pass == 0;
        for (size_t i = 0; i < e->room; i++) {
            Sequence *s = &e->sequences[(e->turn + i) % e->room];
            if (s->live && !s->paused && !s->in_batch && is_decoding(s) == decoding)
                plan_sequence(e, s);
        }
    }
    e->turn++;
}
