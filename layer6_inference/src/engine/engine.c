/* engine.c - texts join and leave an engine.  See engine.h; what a step does: step.c. */
#include "prefix.h"
#include "take.h"

#include <stdlib.h>

bool engine_open(Engine *e, Session *session, Fault *fault) {
    return engine_open_room(e, session, session->kv.config.sequences, fault);
}

bool engine_open_room(Engine *e, Session *session, size_t room, Fault *fault) {
    size_t threads = (size_t)pool_threads(session->pool);
    *e = (Engine){.room = room};
    e->sequences = calloc(e->room, sizeof *e->sequences);
    e->taking = calloc(e->room, sizeof(Sequence *));
    e->candidates = calloc(threads, sizeof *e->candidates);
    e->arenas = calloc(threads, sizeof *e->arenas);
    if (!e->sequences || !e->taking || !e->candidates || !e->arenas)
        return fault_set(fault, "no memory for %zu sequences", e->room);
    for (size_t i = 0; i < threads; i++, e->threads++)
        if (!candidates_open(&e->candidates[i], session->model->sizes.vocab, &e->arenas[i],
                             fault))
            return false;
    return runner_open(&e->runners[e->n_runners++], session, fault);
}

void engine_close(Engine *e) {
    for (size_t i = 0; e->sequences && i < e->room; i++) sequence_close(&e->sequences[i]);
    for (size_t i = 0; i < e->threads; i++) arena_free(&e->arenas[i]);
    if (e->hooks.close) e->hooks.close(e);
    for (size_t i = 0; i < e->n_runners; i++) arena_free(&e->runners[i].arena);
    free(e->sequences), free(e->taking), free(e->candidates), free(e->arenas);
    *e = (Engine){0};
}

/* ------------------------------------------------------------------ what a text reads */

/* The runner of this session's model, opened if there is none yet. */
static bool engine_find_runner(Engine *e, Session *session, size_t *runner, Fault *fault) {
    for (*runner = 0; *runner < e->n_runners; ++*runner)
        if (e->runners[*runner].session == session) return true;
    REQUIRE(e->n_runners < ENGINE_MODELS, "an engine has %d models", ENGINE_MODELS);
    return runner_open(&e->runners[e->n_runners++], session, fault);
}

static bool are_known(const TokenList *tokens, const Session *session, Fault *fault) {
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->ids[i] < 0 || (size_t)tokens->ids[i] >= session_tokens(session))
            return fault_set(fault, "token %d is not in the vocabulary: ids are 0 to %zu",
                             tokens->ids[i], session->model->sizes.vocab - 1);
    return true;
}

/* Give the text one more slot: an unused sequence of the session. */
static bool open_slot(Engine *e, Sequence *s, Session *session, const TokenList *instead,
                      Fault *fault) {
    Slot *slot = &s->slot[s->n_slots];
    const TokenList *list = instead ? instead : s->tokens;
    REQUIRE(s->n_slots < SEQUENCE_SLOTS, "a text has %d slots", SEQUENCE_SLOTS);
    if (!engine_find_runner(e, session, &slot->runner, fault) ||
        !are_known(list, session, fault))
        return false;
    const size_t sequences = session->kv.config.sequences;
    bool *used = e->runners[slot->runner].used;
    while (slot->id < sequences && used[slot->id]) slot->id++;
    if (slot->id == sequences)
        return fault_set(fault, "all %zu sequences of a session are in use", sequences);
    slot->session = session, slot->instead = instead, used[slot->id] = true;
    slot->at_once = model_source(session->model, list->ids, list->count);
    s->n_slots++;
    return true;
}

static Session *session_of(const Extra *x, Session *main) {
    return x->session ? x->session : x->instead ? main : NULL;
}

static bool open_slots(Engine *e, Sequence *s, Fault *fault) {
    Session *main = e->runners[0].session, *session;
    if (!open_slot(e, s, main, NULL, fault)) return false;
    for (Extra *x = s->options.extras; x->kind; x++) {
        if (!(session = session_of(x, main))) continue;
        x->slot = &s->slot[s->n_slots];
        if (!open_slot(e, s, session, x->instead, fault)) return false;
    }
    return true;
}

static size_t free_sequences(const Engine *e, const Session *session) {
    size_t n = 0;
    for (size_t i = 0; i < e->n_runners; i++)
        if (e->runners[i].session == session) {
            for (size_t k = 0; k < session->kv.config.sequences; k++)
                n += !e->runners[i].used[k];
            return n;
        }
    return session->kv.config.sequences;
}

/* How many sequences of a session a text with these options needs. */
static size_t wanted_of(const GenerateOptions *o, const Session *session, Session *main) {
    size_t n = session == main;
    for (const Extra *x = o->extras; x->kind; x++) n += session_of(x, main) == session;
    return n;
}

bool engine_has_room(const Engine *e, const GenerateOptions *o) {
    Session *main = e->runners[0].session, *session;
    if (free_sequences(e, main) < wanted_of(o, main, main)) return false;
    for (const Extra *x = o->extras; x->kind; x++)
        if ((session = session_of(x, main)) &&
            free_sequences(e, session) < wanted_of(o, session, main))
            return false;
    return true;
}

/* If slot b read its first n tokens, would it drop the same tokens from its memory as a has? */
static bool drops_alike(const Slot *a, const Slot *b, size_t n) {
    return b->sink_tokens == a->sink_tokens &&
           n >= a->dropped + session_ctx(a->session) - a->drop_step;
}

/* Length of the common prefix that slot a has already evaluated, without b's last token, which
 * is needed for its logits.  *gone: tokens dropped from a's memory that would be dropped from
 * b's too. */
static size_t in_common(const Sequence *s, const Slot *a, const Sequence *t, const Slot *b,
                        size_t *gone) {
    size_t max = min_size(slot_length(a), slot_total(s, a)), n = 0;
    *gone = 0;
    if (a->at_once != b->at_once) return 0; /* read in one batch or not at all */
    max = min_size(max, slot_total(t, b) - 1);
    while (n < max && slot_token(s, a, n) == slot_token(t, b, n)) n++;
    if (a->dropped && !drops_alike(a, b, n)) return min_size(n, slot_kept(a));
    *gone = a->dropped;
    return n;
}

/* Reuse the longest cached prefix: another sequence's or a kept one, of the same salt. */
static void share_prefix(Engine *e, const Sequence *s, Slot *slot) {
    const TokenList *list = slot->instead ? slot->instead : s->tokens;
    KvCache *kv = &slot->session->kv;
    slot_rewind(slot, 0);
    size_t best = prefix_find(kv, slot->id, list->ids, list->count, s->options.salt),
           dropped = 0;
    const Slot *from = NULL;
    for (size_t i = 0; i < e->room * SEQUENCE_SLOTS; i++) {
        const Sequence *other = &e->sequences[i / SEQUENCE_SLOTS];
        const Slot *a = &other->slot[i % SEQUENCE_SLOTS];
        if (other == s || a->session != slot->session || other->options.salt != s->options.salt)
            continue; /* another model's, or free */
        size_t gone, n = in_common(other, a, s, slot, &gone),
                     reach = kv_reach(kv, a->id, n - gone);
        if (gone && reach < n - gone)
            continue; /* its window has already dropped what this one needs */
        if (reach + gone > best) best = reach + gone, from = a, dropped = gone;
    }
    if (!from) return;
    kv_fork(kv, slot->id, from->id);
    session_rewind(slot->session, slot->id, best - dropped);
    slot->dropped = dropped;
}

void sequence_keep_prefixes(const Sequence *s) {
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++) {
        if (!slot->session->kv.config.prefixes) continue;
        const TokenList *list = slot->instead ? slot->instead : s->tokens;
        prefix_keep(&slot->session->kv, slot->id, list->ids,
                    min_size(list->count, slot_kept(slot)), s->options.salt);
    }
}

/* ------------------------------------------------------------------ texts */

/* Reuse the longest cached prefix in each slot of a text. */
static void engine_share(Engine *e, Sequence *s) {
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (slot != s->slot || !s->plan.reads_all) share_prefix(e, s, slot);
    s->preempted = false;
}

static bool sequence_begin(Engine *e, Sequence *s, Fault *fault) {
    if (!open_slots(e, s, fault) || !sequence_open(s, e, fault)) return false;
    engine_share(e, s);
    s->cached = s->reported = slot_length(s->slot);
    s->live = true, s->rank = e->joined++;
    return true;
}

Sequence *engine_add(Engine *e, TokenList *tokens, const GenerateOptions *options,
                     Fault *fault) {
    Sequence *s = e->sequences;
    while (s < e->sequences + e->room && s->tokens) s++;
    if (s == e->sequences + e->room)
        return fault_set(fault, "all %zu sequences of a session are in use", e->room), NULL;
    *s = (Sequence){.tokens = tokens, .options = *options};
    if (sequence_begin(e, s, fault)) return e->live++, s;
    engine_remove(e, s);
    return NULL;
}

static void close_slots(Engine *e, Sequence *s) {
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++) {
        session_rewind(slot->session, slot->id, 0);
        e->runners[slot->runner].used[slot->id] = false;
        *slot = (Slot){.sink_tokens = slot->sink_tokens, .drop_step = slot->drop_step};
    }
    s->n_slots = 0;
}

void engine_remove(Engine *e, Sequence *s) {
    if (s->reported && !s->failed) sequence_keep_prefixes(s);
    close_slots(e, s);
    e->live -= s->live;
    sequence_close(s);
}

void engine_pause(Engine *e, Sequence *s) {
    engine_preempt(e, s);
    s->paused = true;
    close_slots(e, s);
}

bool engine_resume(Engine *e, Sequence *s) {
    if (!s->n_slots && !open_slots(e, s, &s->fault)) return sequence_fail(s), false;
    engine_share(e, s);
    return true;
}
