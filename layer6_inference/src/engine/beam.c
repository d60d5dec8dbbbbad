/* beam.c - see beam.h.
 *
 * Sequences 0 .. B-1 and B .. 2B-1 of the session take turns: the beams of a step fork from those of
 * the step before, then the old ones are let go. */
#include "beam.h"
#include "order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Beam {
    TokenList tokens;
    double log_prob;
    size_t row;     /* of the session's logits: what comes next */
    int32_t state;  /* of the automaton of stop strings */
    size_t spelled; /* bytes of what the healed prompt is owed */
} Beam;

/* A beam with one token more. */
typedef struct Extension {
    size_t parent;
    int32_t token;
    double log_prob, rank; /* rank: with the penalty for what earlier groups chose */
} Extension;

typedef struct Search {
    Session *session;
    const BeamOptions *o;
    Beam beams[BEAM_MOST];
    size_t count; /* in group order; those of group g stand together */
    size_t group_of[BEAM_MOST];
    size_t bank, steps, most, room; /* most: tokens of a text; room: for tokens, at the start */
    double start;
    BeamText *done;
    size_t n_done;
    uint64_t *keys;        /* (vocab) */
    float *masked;         /* (vocab) a beam's logits, less what is held against them */
    Extension *extensions; /* (2 beams^2) those of a group */
    Fault *fault;
} Search;

static double score_of(const BeamOptions *o, double log_prob, size_t tokens) {
    return log_prob / pow((double)(tokens ? tokens : 1), o->length_power);
}

static void copy_tokens(TokenList *to, const TokenList *from) {
    to->count = 0;
    for (size_t i = 0; i < from->count; i++) token_list_add(to, from->ids[i]);
}

/* Keep the `beams` best finished texts, best first.  A token that ends a text counts, though it is
 * not part of it. */
static void finish_text(Search *s, const Beam *beam, double log_prob, StopReason reason) {
    bool ends = reason == STOP_END || reason == STOP_ID;
    double score = score_of(s->o, log_prob, beam->tokens.count + ends);
    size_t at = s->n_done;
    while (at > 0 && s->done[at - 1].score < score) at--;
    if (at == s->o->beams) return;
    if (s->n_done == s->o->beams) token_list_free(&s->done[--s->n_done].tokens);
    memmove(&s->done[at + 1], &s->done[at], (s->n_done - at) * sizeof *s->done);
    s->n_done++;
    s->done[at] = (BeamText){.log_prob = log_prob, .score = score, .reason = reason};
    copy_tokens(&s->done[at].tokens, &beam->tokens);
}

static int by_rank(const void *a, const void *b) {
    const Extension *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    return x->token < y->token ? -1 : 1;
}

/* The likeliest extensions of one beam. */
static size_t extend(Search *s, size_t parent, size_t most, const int32_t *chosen,
                     size_t n_chosen, Extension *out) {
    size_t vocab = s->session->model->sizes.vocab;
    const Beam *beam = &s->beams[parent];
    const float *logits = s->session->logits + beam->row * vocab;
    double sum = log_sum_exp(logits, vocab);
    memcpy(s->masked, logits, vocab * sizeof *s->masked);
    if (s->o->heal)
        heal_mask(s->o->heal, beam->spelled, s->session->model->tokenizer, s->masked, vocab);
    for (size_t i = 0; i < n_chosen; i++) s->masked[chosen[i]] -= (float)s->o->diversity;
    for (size_t i = 0; i < vocab; i++) s->keys[i] = order_key(s->masked[i], (int32_t)i);
    if (most > vocab) most = vocab;
    order_select(s->keys, vocab, most);
    size_t n = 0;
    for (size_t i = 0; i < most; i++) {
        int32_t token = order_id(s->keys[i]);
        if (order_value(s->keys[i]) == -INFINITY) continue;
        out[n++] = (Extension){parent, token, beam->log_prob + (double)logits[token] - sum,
                               beam->log_prob + (double)order_value(s->keys[i]) - sum};
    }
    return n;
}

/* A text takes a token: is it over? */
static bool take(const Search *s, Beam *text, int32_t token, StopReason *reason) {
    const Tokenizer *t = s->session->model->tokenizer;
    const Limits *limits = &s->o->limits,
                 circle = {.most_tokens = SIZE_MAX, .repeats = limits->repeats};
    size_t read;
    if (ends_before(limits, t, token, reason)) return true;
    Text piece = tokenizer_piece(t, token, false);
    token_list_add(&text->tokens, token);
    if (s->o->heal) piece = heal_cut(s->o->heal, &text->spelled, piece);
    if (s->o->stops && stops_read(s->o->stops, &text->state, piece, &read))
        return *reason = STOP_STRING, true;
    return ends_after(&circle, text->tokens.ids, text->tokens.count, 1, 0, reason);
}

/* Does the text end with this step?  It is finished then, if it is `among` the best. */
static bool step_ends(Search *s, const Extension *step, bool among) {
    Beam *parent = &s->beams[step->parent], text = *parent;
    size_t count = parent->tokens.count;
    StopReason reason;
    bool ends = take(s, &text, step->token, &reason);
    if (ends && among) finish_text(s, &text, step->log_prob, reason);
    parent->tokens = text.tokens, parent->tokens.count = count; /* the memory may have moved */
    return ends;
}

/* The steps of a group: the best that do not end go on, ends among the best are finished.  Returns
 * how many go on. */
static size_t step_group(Search *s, size_t group, const int32_t *chosen, size_t n_chosen,
                         Extension *next) {
    size_t width = s->o->beams / s->o->groups, n = 0, kept = 0;
    Extension *all = s->extensions;
    for (size_t b = 0; b < s->count; b++)
        if (s->group_of[b] == group || s->steps == 0)
            n += extend(s, b, 2 * width, chosen, n_chosen, all + n);
    qsort(all, n, sizeof *all, by_rank);
    for (size_t i = 0; i < n && kept < width; i++)
        if (!step_ends(s, &all[i], i < width)) next[kept++] = all[i];
    return kept;
}

/* The beams that go on, each in a sequence of the other bank. */
static bool move_on(Search *s, const Extension *next, const size_t *groups, size_t n) {
    KvCache *kv = &s->session->kv;
    size_t old = s->bank * s->o->beams, fresh = (1 - s->bank) * s->o->beams;
    int32_t token[BEAM_MOST], sequence[BEAM_MOST], position[BEAM_MOST];
    bool wants[BEAM_MOST];
    StopReason reason;
    Beam beams[BEAM_MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        kv_fork(kv, fresh + i, s->steps ? old + next[i].parent : old);
        const Beam *parent = &s->beams[next[i].parent];
        beams[i] = (Beam){.log_prob = next[i].log_prob,
                          .row = i,
                          .state = parent->state,
                          .spelled = parent->spelled};
        copy_tokens(&beams[i].tokens, &parent->tokens);
        take(s, &beams[i], next[i].token, &reason);
        token[i] = next[i].token, sequence[i] = (int32_t)(fresh + i), wants[i] = true;
        position[i] = (int32_t)kv->length[fresh + i];
    }
    for (size_t i = 0; i < s->o->beams; i++) kv_truncate(kv, old + i, 0);
    for (size_t i = 0; i < s->count; i++) token_list_free(&s->beams[i].tokens);
    memcpy(s->beams, beams, sizeof beams);
    memcpy(s->group_of, groups, n * sizeof *groups);
    s->count = n, s->bank = 1 - s->bank, s->steps++;
    Batch batch = {n, token, sequence, position, wants, NULL};
    return n == 0 || model_forward(s->session, &batch, s->fault);
}

static bool one_step(Search *s) {
    Extension next[BEAM_MOST];
    size_t groups[BEAM_MOST], n = 0;
    int32_t chosen[BEAM_MOST];
    for (size_t g = 0; g < s->o->groups; g++) {
        size_t kept = step_group(s, g, chosen, n, next + n);
        for (size_t i = 0; i < kept; i++) groups[n + i] = g, chosen[n + i] = next[n + i].token;
        n += kept;
    }
    return move_on(s, next, groups, n);
}

/* No beam can become better than the worst finished text any more.  The longest text has the best
 * divisor. */
static bool hopeless(const Search *s) {
    double best = -INFINITY;
    if (s->n_done < s->o->beams) return false;
    if (s->o->early) return true;
    for (size_t i = 0; i < s->count; i++) {
        size_t longest = s->o->length_power > 0 ? s->most : s->beams[i].tokens.count;
        best = fmax(best, score_of(s->o, s->beams[i].log_prob, longest));
    }
    return best <= s->done[s->n_done - 1].score;
}

/* Is it over for all beams? */
static bool is_over(Search *s, StopReason *reason) {
    if (s->count == 0 || hopeless(s)) return true;
    if (s->o->on_step && !s->o->on_step(s->o->context, s->steps))
        return *reason = STOP_CALLER, true;
    Limits limits = s->o->limits;
    limits.repeats = 0;                         /* looked for in each text by itself: take */
    if (s->steps == 0) limits.most_seconds = 0; /* one token, however slow */
    return ends_after(&limits, NULL, s->steps, s->room - s->steps, s->start, reason);
}

static bool search(Search *s, const int32_t *prompt, size_t n) {
    StopReason reason = STOP_LIMIT;
    session_reset(s->session);
    if (!session_feed(s->session, prompt, n, false, s->fault)) return false;
    s->count = 1;
    while (!is_over(s, &reason))
        if (!one_step(s)) return false;
    for (size_t i = 0; i < s->count && !hopeless(s); i++)
        finish_text(s, &s->beams[i], s->beams[i].log_prob, reason);
    return true;
}

static bool check(const Session *session, size_t n, const BeamOptions *o, Fault *fault) {
    size_t room = session_ctx(session);
    if (o->beams < 1 || o->beams > BEAM_MOST || o->groups < 1 || o->beams % o->groups)
        return fault_set(fault,
                         "%zu beams in %zu groups: wanted 1 to %d beams, and groups that "
                         "divide them",
                         o->beams, o->groups, BEAM_MOST);
    REQUIRE(session->kv.config.sequences >= 2 * o->beams,
            "a session of %zu sequences for %zu beams", session->kv.config.sequences, o->beams);
    return (n > 0 && n < room) ||
           fault_set(fault, "the prompt has %zu tokens: wanted 1 to %zu", n, room - 1);
}

static bool open_search(Search *s, Fault *fault) {
    size_t vocab = s->session->model->sizes.vocab, beams = s->o->beams;
    s->done = calloc(beams + 1, sizeof *s->done);
    s->keys = malloc(vocab * sizeof *s->keys);
    s->masked = malloc(vocab * sizeof *s->masked);
    s->extensions = malloc(2 * beams * beams * sizeof *s->extensions);
    return (s->done && s->keys && s->masked && s->extensions) ||
           fault_set(fault, "no memory for beam search");
}

static void close_search(Search *s) {
    for (size_t i = 0; i < s->count; i++) token_list_free(&s->beams[i].tokens);
    free(s->done), free(s->keys), free(s->masked), free(s->extensions);
}

bool beam_search(Session *session, const int32_t *prompt, size_t n, const BeamOptions *o,
                 BeamText *texts, size_t *count, Fault *fault) {
    if (!check(session, n, o, fault)) return false;
    Search s = {.session = session, .o = o, .fault = fault, .start = clock_seconds()};
    s.room = session_ctx(session) - n;
    s.most = o->limits.most_tokens < s.room ? o->limits.most_tokens : s.room;
    bool ok = open_search(&s, fault) && search(&s, prompt, n);
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
