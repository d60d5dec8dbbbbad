/* beam.c - see beam.h.
 *
 * A beam is a text of an engine that does not choose: it stops when all its tokens are
 * evaluated, and keeps the likeliest next ones.  When all beams are there, the best
 * extensions are found; a beam continues in its sequence with its best one and forks a text
 * for each further one, which shares the KV pages (engine_add). */
#include "beam.h"
#include "engine/take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEXT_MAX = 3 * BEAM_MAX };

typedef struct Search Search;

/* State of a text beside its tokens. */
typedef struct State {
    double log_prob;
    int32_t stops;  /* of the automaton of stop strings */
    size_t spelled; /* matched bytes of the healed prompt's end */
} State;

typedef struct Beam {
    Search *search;
    Sequence *sequence; /* NULL: a new beam without one */
    TokenList tokens;   /* prompt included */
    Chain rules;        /* stage states of the constraints; without stages: none */
    State state;
    size_t group, place; /* index of the beam */
    bool used;
    bool read;      /* all tokens are evaluated; then: */
    double log_sum; /* log of the sum of exp(logit) over the vocabulary */
    size_t n_next;
    int32_t next[NEXT_MAX]; /* the likeliest tokens */
    float logit[NEXT_MAX];
} Beam;

/* A beam with one more token. */
typedef struct Extension {
    Beam *beam;
    int32_t token;
    double log_prob, rank; /* score minus the penalty for what earlier groups chose */
} Extension;

struct Search {
    Engine engine;
    Session *session;
    const BeamOptions *o;
    Beam *pool;            /* (beams) some in use */
    Beam *beams[BEAM_MAX]; /* in group order */
    size_t count;          /* beams now */
    size_t prompt;         /* its tokens */
    size_t width;          /* beams per group */
    size_t steps, max_length;
    size_t room; /* tokens that fit into the context after the prompt */
    double start;
    BeamText *done;
    size_t n_done;
    Extension *extensions; /* (beams * NEXT_MAX) of one group */
    Fault *fault;
};

static double score_of(const BeamOptions *o, double log_prob, size_t tokens) {
    return log_prob / pow((double)(tokens ? tokens : 1), o->length_power);
}

static void copy_tokens(TokenList *to, const int32_t *ids, size_t count) {
    to->count = 0;
    for (size_t i = 0; i < count; i++) token_list_add(to, ids[i]);
}

static size_t written(const Search *s, const Beam *b) { return b->tokens.count - s->prompt; }

/* ------------------------------------------------------------------ finished texts */

/* Keep the `beams` best finished texts, best first.  The token that ends a text counts,
 * though it is not part of it. */
static void finish_text(Search *s, const Beam *beam, double log_prob, StopReason reason) {
    bool ends = reason == STOP_END || reason == STOP_ID;
    double score = score_of(s->o, log_prob, written(s, beam) + ends);
    size_t at = s->n_done;
    while (at > 0 && s->done[at - 1].score < score) at--;
    if (at == s->o->beams) return;
    if (s->n_done == s->o->beams) token_list_free(&s->done[--s->n_done].tokens);
    memmove(&s->done[at + 1], &s->done[at], (s->n_done - at) * sizeof *s->done);
    s->n_done++;
    s->done[at] = (BeamText){.log_prob = log_prob, .score = score, .reason = reason};
    copy_tokens(&s->done[at].tokens, beam->tokens.ids + s->prompt, written(s, beam));
}

/* Append a token, unless it ends a text.  Returns whether the text is over. */
static bool take(const Search *s, Beam *b, int32_t token, StopReason *reason) {
    const Tokenizer *t = s->session->model->tokenizer;
    const Limits *limits = &s->o->limits,
                 only_repeats = {.max_tokens = SIZE_MAX, .repeats = limits->repeats};
    size_t read;
    if (ends_before(limits, t, token, reason)) return true;
    Text piece = tokenizer_piece(t, token, false);
    token_list_add(&b->tokens, token);
    chain_accept(&b->rules, token);
    if (s->o->heal) piece = heal_cut(s->o->heal, &b->state.spelled, piece);
    if (s->o->stops && stops_read(s->o->stops, &b->state.stops, piece, &read))
        return *reason = STOP_STRING, true;
    if (chain_ends(&b->rules)) return *reason = STOP_COMPLETE, true;
    return ends_after(&only_repeats, b->tokens.ids + s->prompt, written(s, b), 1, 0, reason);
}

/* Would this token end the text?  Then it is kept as finished, if among the best; the beam
 * is unchanged. */
static bool try_extension(Search *s, const Extension *x, bool among) {
    Beam *b = x->beam;
    const State before = b->state;
    size_t count = b->tokens.count;
    StopReason reason;
    bool ends = take(s, b, x->token, &reason);
    if (ends && among) finish_text(s, b, x->log_prob, reason);
    if (b->tokens.count > count) chain_rewind(&b->rules, 1);
    b->state = before, b->tokens.count = count;
    return ends;
}

/* ------------------------------------------------------------------ extensions */

/* Run the active stages that change logits but select no token. */
static void restrict_by(Chain *chain, Candidates *candidates, const Step *step) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->selects && !stage_is_off(stage))
            stage->kind->apply(stage, candidates, step);
    }
}

/* Instead of choosing, keep the likeliest tokens.  A group looks at 2 * width extensions of
 * a beam, and earlier groups have lowered at most `beams` tokens, so these are enough. */
static bool keep_next(Extra *x, Sequence *text, Fault *fault) {
    Beam *b = x->wish;
    const Search *s = b->search;
    Candidates *c = text->candidates;
    float *logits = slot_row(text->slot);
    text->plan.waits = true;
    b->log_sum = log_sum_exp(logits, c->vocab);
    if (!candidates_load(c, logits, fault)) return false;
    if (s->o->heal) {
        heal_mask(s->o->heal, b->state.spelled, s->session->model->tokenizer, logits, c->vocab);
        candidates_changed(c);
    }
    restrict_by(&b->rules, c, &(Step){.tokenizer = s->session->model->tokenizer});
    candidates_keep_best(c, 2 * s->width + s->o->beams);
    b->n_next = 0, b->read = true;
    for (size_t i = 0; i < c->count && c->logits[i] > -INFINITY; i++)
        b->next[b->n_next] = candidates_id(c, i), b->logit[b->n_next++] = c->logits[i];
    return true;
}

static bool begin_text(Search *s, Beam *b) {
    static const ExtraKind kind = {.take = keep_next};
    GenerateOptions options = {.limits.max_tokens = SIZE_MAX};
    generate_with(&options, (Extra){.kind = &kind, .wish = b});
    b->sequence = engine_add(&s->engine, &b->tokens, &options, s->fault);
    return b->sequence != NULL;
}

/* Step the engine until the next tokens of every beam are known. */
static bool read_beams(Search *s) {
    for (size_t unread = 1; unread > 0;) {
        unread = 0;
        for (size_t i = 0; i < s->count; i++) {
            Beam *b = s->beams[i];
            if (!b->sequence && !begin_text(s, b)) return false;
            if (b->sequence->failed) return *s->fault = b->sequence->fault, false;
            unread += !b->read;
        }
        if (unread && !engine_step(&s->engine, s->fault)) return false;
    }
    return true;
}

static int by_rank(const void *a, const void *b) {
    const Extension *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    if (x->beam != y->beam) return x->beam->place < y->beam->place ? -1 : 1;
    return x->token < y->token ? -1 : 1;
}

/* The likeliest extensions of a beam, 2 * width at most, with the penalty for earlier
 * groups' choices. */
static size_t extend(const Search *s, Beam *b, const Extension *chosen, size_t n_chosen,
                     Extension *out) {
    for (size_t i = 0; i < b->n_next; i++) {
        float logit = b->logit[i];
        for (size_t k = 0; k < n_chosen; k++)
            if (chosen[k].token == b->next[i]) logit -= (float)s->o->diversity;
        out[i] =
            (Extension){b, b->next[i], b->state.log_prob + (double)b->logit[i] - b->log_sum,
                        b->state.log_prob + (double)logit - b->log_sum};
    }
    qsort(out, b->n_next, sizeof *out, by_rank);
    return b->n_next < 2 * s->width ? b->n_next : 2 * s->width;
}

/* One step of a group: next[n ...] become its best extensions that do not end the text;
 * those among the best that do are finished.  next[0 .. n-1] are the choices of earlier
 * groups.  At the first step all groups extend the only beam.  Returns how many were added. */
static size_t step_group(Search *s, size_t group, Extension *next, size_t n) {
    Extension *all = s->extensions;
    size_t count = 0, kept = 0;
    for (Beam *const *b = s->beams; b < s->beams + s->count; b++)
        if ((*b)->group == group || s->steps == 0) count += extend(s, *b, next, n, all + count);
    qsort(all, count, sizeof *all, by_rank);
    for (size_t i = 0; i < count && kept < s->width; i++)
        if (!try_extension(s, &all[i], i < s->width)) next[n + kept++] = all[i];
    return kept;
}

/* ------------------------------------------------------------------ a step */

static Beam *new_beam(Search *s, State state, const Chain *rules, const int32_t *tokens,
                      size_t count) {
    Beam *b = s->pool;
    while (b->used) b++;
    b->used = true, b->search = s, b->state = state;
    copy_tokens(&b->tokens, tokens, count);
    if (rules) chain_copy(&b->rules, rules);
    return b;
}

static void drop_beam(Search *s, Beam *b) {
    if (b->sequence) engine_remove(&s->engine, b->sequence);
    chain_close(&b->rules);
    b->sequence = NULL, b->used = false;
}

/* Turn extensions into beams: the first of a beam continues it, further ones are forks. */
static void fork_beams(Search *s, Extension *next, size_t n) {
    bool is_first[BEAM_MAX];
    for (size_t i = 0; i < s->count; i++) s->beams[i]->used = false;
    for (size_t i = 0; i < n; i++) is_first[i] = !next[i].beam->used, next[i].beam->used = true;
    for (size_t i = 0; i < s->count; i++)
        if (!s->beams[i]->used) drop_beam(s, s->beams[i]);
    for (size_t i = 0; i < n; i++) {
        const Beam *b = next[i].beam;
        if (!is_first[i])
            next[i].beam = new_beam(s, b->state, &b->rules, b->tokens.ids, b->tokens.count);
    }
}

static void one_step(Search *s) {
    Extension next[BEAM_MAX];
    StopReason reason;
    size_t n = 0, group[BEAM_MAX];
    for (size_t g = 0; g < s->o->groups; g++) {
        size_t added = step_group(s, g, next, n);
        for (size_t i = 0; i < added; i++) group[n++] = g;
    }
    fork_beams(s, next, n);
    for (size_t i = 0; i < n; i++) {
        Beam *b = s->beams[i] = next[i].beam;
        take(s, b, next[i].token, &reason);
        b->state.log_prob = next[i].log_prob;
        b->group = group[i], b->place = i, b->read = false;
        if (b->sequence) b->sequence->plan.waits = false;
    }
    s->count = n, s->steps++;
}

/* Can no beam beat the worst finished text any more?  ln p only falls, and with a positive
 * power the longest text divides it the most. */
static bool cannot_improve(const Search *s) {
    double best = -INFINITY;
    if (s->n_done < s->o->beams) return false;
    if (s->o->early) return true;
    for (size_t i = 0; i < s->count; i++) {
        size_t longest = s->o->length_power > 0 ? s->max_length : written(s, s->beams[i]);
        best = fmax(best, score_of(s->o, s->beams[i]->state.log_prob, longest));
    }
    return best <= s->done[s->n_done - 1].score;
}

static bool beam_is_over(Search *s, StopReason *reason) {
    if (s->count == 0 || cannot_improve(s)) return true;
    if (s->o->on_step && !s->o->on_step(s->o->context, s->steps))
        return *reason = STOP_CALLER, true;
    Limits limits = s->o->limits;
    limits.repeats = 0;                        /* each text checks its stop strings */
    if (s->steps == 0) limits.max_seconds = 0; /* at least one token, however slow */
    return ends_after(&limits, NULL, s->steps, s->room - s->steps, s->start, reason);
}

static bool search(Search *s, const int32_t *prompt) {
    StopReason reason = STOP_LIMIT;
    if (s->o->rules) {
        s->o->rules->pending = s->o->heal ? s->o->heal->size : 0;
        chain_reset(s->o->rules);
    }
    s->beams[s->count++] = new_beam(s, (State){0}, s->o->rules, prompt, s->prompt);
    if (!read_beams(s)) return false;
    while (!beam_is_over(s, &reason)) {
        if (!read_beams(s)) return false;
        one_step(s);
    }
    for (size_t i = 0; i < s->count && !cannot_improve(s); i++)
        finish_text(s, s->beams[i], s->beams[i]->state.log_prob, reason);
    return s->n_done > 0 || reason == STOP_CALLER ||
           fault_set(s->fault, "dead end: no token goes on with a text that obeys");
}

static bool beam_check(const Session *session, size_t n, const BeamOptions *o, Fault *fault) {
    size_t room = session_ctx(session);
    if (o->beams < 1 || o->beams > BEAM_MAX || o->groups < 1 || o->beams % o->groups)
        return fault_set(fault,
                         "%zu beams in %zu groups: wanted 1 to %d beams, and groups that "
                         "divide them",
                         o->beams, o->groups, BEAM_MAX);
    if (o->rules &&
        !chain_check(o->rules, &(Step){.tokenizer = session->model->tokenizer}, 0, fault))
        return false;
    REQUIRE(session->kv.config.sequences >= o->beams,
            "a session of %zu sequences for %zu beams", session->kv.config.sequences, o->beams);
    return (n > 0 && n < room) ||
           fault_set(fault, "the prompt has %zu tokens: wanted 1 to %zu", n, room - 1);
}

static bool open_search(Search *s, Fault *fault) {
    size_t beams = s->o->beams;
    s->done = calloc(beams + 1, sizeof *s->done);
    s->pool = calloc(beams, sizeof *s->pool);
    s->extensions = malloc(beams * NEXT_MAX * sizeof *s->extensions);
    return ((s->done && s->pool && s->extensions) ||
            fault_set(fault, "no memory for beam search")) &&
           engine_open(&s->engine, s->session, fault);
}

static void close_search(Search *s) {
    for (size_t i = 0; s->pool && i < s->o->beams; i++)
        token_list_free(&s->pool[i].tokens), chain_close(&s->pool[i].rules);
    engine_close(&s->engine);
    free(s->done), free(s->pool), free(s->extensions);
}

bool beam_search(Session *session, const int32_t *prompt, size_t n, const BeamOptions *o,
                 BeamText *texts, size_t *count, Fault *fault) {
    if (!beam_check(session, n, o, fault)) return false;
    Search s = {.session = session, .o = o, .fault = fault, .start = clock_seconds()};
    s.prompt = n, s.width = o->beams / o->groups;
    s.room = session_ctx(session) - n;
    s.max_length = o->limits.max_tokens < s.room ? o->limits.max_tokens : s.room;
    bool ok = open_search(&s, fault) && search(&s, prompt);
    *count = ok ? s.n_done : 0;
    for (size_t i = 0; s.done && i < s.n_done; i++) {
        if (ok)
            texts[i] = s.done[i];
        else
            token_list_free(&s.done[i].tokens);
    }
    close_search(&s);
    return ok;
}

void beam_free(BeamText *texts, size_t count) {
    for (size_t i = 0; i < count; i++) token_list_free(&texts[i].tokens);
}
