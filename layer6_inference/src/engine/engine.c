/* engine.c - texts come and go.  See engine.h; what a step does: step.c. */
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
    return part_open(&e->parts[e->n_parts++], session, fault);
}

void engine_close(Engine *e) {
    for (size_t i = 0; e->sequences && i < e->room; i++) sequence_close(&e->sequences[i]);
    for (size_t i = 0; i < e->threads; i++) arena_free(&e->arenas[i]);
    if (e->n_parts) session_tap(e->parts[0].session, NULL, 0, NULL);
    for (size_t i = 0; i < e->n_parts; i++) arena_free(&e->parts[i].arena);
    free(e->sequences), free(e->taking), free(e->candidates), free(e->arenas);
    *e = (Engine){0};
}

/* ------------------------------------------------------------------ what a text reads */

/* A draft head in a file of its own reads more of its model than the last row. */
static void tap_for(Session *main, const EnginePart *head) {
    const Guesses *g = &head->session->model->guesses;
    if (!g->model || g->model != main->model) return;
    REQUIRE(!main->tap.count, "an engine has one draft head in a file of its own");
    session_tap(main, g->layers, GUESS_DEPTHS, head->tapped);
}

/* The part of a session's model; a new one, behind the others, when it has none. */
static bool find_part(Engine *e, Session *session, size_t *part, Fault *fault) {
    for (*part = 0; *part < e->n_parts; ++*part)
        if (e->parts[*part].session == session) return true;
    REQUIRE(e->n_parts < ENGINE_PARTS, "an engine has %d models", ENGINE_PARTS);
    if (!part_open(&e->parts[e->n_parts++], session, fault)) return false;
    tap_for(e->parts[0].session, &e->parts[*part]);
    return true;
}

static bool are_known(const TokenList *tokens, const Session *session, Fault *fault) {
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->ids[i] < 0 || (size_t)tokens->ids[i] >= session_tokens(session))
            return fault_set(fault, "token %d is not in the vocabulary: ids are 0 to %zu",
                             tokens->ids[i], session->model->sizes.vocab - 1);
    return true;
}

/* Give a reader of the text a sequence of the session that nobody uses.  No session: nothing to read. */
static bool open_reader(Engine *e, const Sequence *s, Reader *r, Session *session,
                        Fault *fault) {
    if (!session) return true;
    if (!find_part(e, session, &r->part, fault) ||
        !are_known(r->instead ? r->instead : s->tokens, session, fault))
        return false;
    const size_t sequences = session->kv.config.sequences;
    bool *used = e->parts[r->part].used;
    while (r->id < sequences && used[r->id]) r->id++;
    if (r->id == sequences)
        return fault_set(fault, "all %zu sequences of a session are in use", sequences);
    r->session = session, used[r->id] = true;
    return true;
}

static bool open_readers(Engine *e, Sequence *s, Fault *fault) {
    const GenerateOptions *o = &s->options;
    Session *main = e->parts[0].session, *draft = o->speculation ? o->speculation->draft : NULL;
    s->reader[READS_NEGATIVE].instead = o->negative;
    return open_reader(e, s, &s->reader[READS_TEXT], main, fault) &&
           open_reader(e, s, &s->reader[READS_NEGATIVE], o->negative ? main : NULL, fault) &&
           open_reader(e, s, &s->reader[READS_AMATEUR], o->amateur, fault) &&
           open_reader(e, s, &s->reader[READS_DRAFT], draft, fault);
}

static size_t free_sequences(const Engine *e, const Session *session) {
    size_t n = 0;
    for (size_t i = 0; i < e->n_parts; i++)
        if (e->parts[i].session == session) {
            for (size_t k = 0; k < session->kv.config.sequences; k++) n += !e->parts[i].used[k];
            return n;
        }
    return session->kv.config.sequences;
}

bool engine_has_place(const Engine *e, const GenerateOptions *o) {
    const Session *main = e->parts[0].session;
    const Session *draft = o->speculation ? o->speculation->draft : NULL;
    return free_sequences(e, main) >= 1 + (size_t)(o->negative != NULL) &&
           (!o->amateur ||
            free_sequences(e, o->amateur) >= 1 + (size_t)(o->amateur == draft)) &&
           (!draft || free_sequences(e, draft) >= 1);
}

/* How many tokens reader a has read of those that reader b is to read from the start: all but b's last at
 * most, which has to be read for its logits.  What was cut out of a's memory (*gone tokens) has to be what
 * would have been cut out of b's; else they have the kept ones in common. */
static size_t in_common(const Sequence *s, const Reader *a, const Sequence *t, const Reader *b,
                        size_t *gone) {
    size_t max = min_size(reader_length(a), reader_total(s, a)), n = 0;
    if (reader_source(s, a) != reader_source(t, b)) return *gone = 0; /* read as a whole */
    max = min_size(max, reader_total(t, b) - 1);
    while (n < max && reader_token(s, a, n) == reader_token(t, b, n)) n++;
    *gone = a->gone && reader_has_state_of(s, a, t, n) ? a->gone : 0;
    return a->gone && !*gone ? min_size(n, reader_kept(s, a)) : n;
}

/* Begin with the longest text that another sequence here, or a kept prefix, has in common with this one,
 * of the same salt. */
static void share(Engine *e, const Sequence *s, Reader *r) {
    const TokenList *list = r->instead ? r->instead : s->tokens;
    KvCache *kv = &r->session->kv;
    reader_rewind(r, 0);
    size_t best = prefix_find(kv, r->id, list->ids, list->count, s->options.salt), cut = 0;
    const Reader *from = NULL;
    for (size_t i = 0; i < e->room * READERS; i++) {
        const Sequence *other = &e->sequences[i / READERS];
        const Reader *a = &other->reader[i % READERS];
        if (other == s || a->session != r->session || other->options.salt != s->options.salt)
            continue;
        size_t gone, n = in_common(other, a, s, r, &gone),
                     reach = kv_reach(kv, a->id, n - gone);
        if (gone && reach < n - gone) continue; /* a window has given back what it would need */
        if (reach + gone > best) best = reach + gone, from = a, cut = gone;
    }
    if (!from) return;
    kv_fork(kv, r->id, from->id);
    session_rewind(r->session, r->id, best - cut);
    r->gone = cut;
}

void sequence_keep_prefixes(const Sequence *s) {
    for (const Reader *r = s->reader; r < s->reader + READERS; r++) {
        if (!r->session || !r->session->kv.config.prefixes) continue;
        const TokenList *list = r->instead ? r->instead : s->tokens;
        prefix_keep(&r->session->kv, r->id, list->ids, min_size(list->count, reader_kept(s, r)),
                    s->options.salt);
    }
}

/* ------------------------------------------------------------------ texts */

void engine_share(Engine *e, Sequence *s) {
    for (Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session && !(r == s->reader && (s->step.look_ahead || has_draft_head(s))))
            share(e, s, r); /* or what the model knew at each token would be missing */
    s->preempted = false;
}

static bool begin(Engine *e, Sequence *s, Fault *fault) {
    EnginePart *main = &e->parts[0];
    if (!open_readers(e, s, fault) || !sequence_open(s, main->session, fault)) return false;
    engine_share(e, s);
    const size_t id = s->reader[READS_TEXT].id;
    s->cached = s->told = reader_length(&s->reader[READS_TEXT]);
    s->live = true, s->rank = e->joined++;
    return !s->step.look_ahead ||
           look_ahead_open(&s->look, main->session, id, main->used, fault);
}

Sequence *engine_add(Engine *e, TokenList *tokens, const GenerateOptions *options,
                     Fault *fault) {
    Sequence *s = e->sequences;
    while (s < e->sequences + e->room && s->tokens) s++;
    if (s == e->sequences + e->room)
        return fault_set(fault, "all %zu sequences of a session are in use", e->room), NULL;
    *s = (Sequence){.tokens = tokens, .options = *options};
    if (begin(e, s, fault)) return e->live++, s;
    engine_remove(e, s);
    return NULL;
}

static void close_readers(Engine *e, Sequence *s) {
    for (Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session) {
            session_rewind(r->session, r->id, 0);
            e->parts[r->part].used[r->id] = false;
            *r = (Reader){0};
        }
}

void engine_remove(Engine *e, Sequence *s) {
    if (s->told && !s->failed) sequence_keep_prefixes(s);
    close_readers(e, s);
    e->live -= s->live;
    sequence_close(s);
}

void engine_pause(Engine *e, Sequence *s) {
    engine_preempt(e, s);
    s->held = true;
    if (!s->step.look_ahead)
        close_readers(e, s); /* what looks ahead has further sequences, and keeps all */
}

bool engine_resume(Engine *e, Sequence *s) {
    if (!s->reader[READS_TEXT].session && !open_readers(e, s, &s->fault))
        return sequence_fail(s), false;
    engine_share(e, s);
    return true;
}
