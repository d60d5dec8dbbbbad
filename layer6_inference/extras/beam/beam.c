/* beam.c - see beam.h.
 *
 * A beam is one of several texts that go on side by side (texts.h).  When the likeliest next
 * tokens of all beams are known, the best extensions are found; a beam continues with its best
 * one and is forked for each further one. */
#include "beam.h"
#include "texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A beam with one more token. */
typedef struct Extension {
    LiveText *beam;
    int32_t token;
    double log_prob, rank; /* score minus the penalty for what earlier groups chose */
} Extension;

typedef struct Search {
    Texts texts; /* the beams, in group order */
    const BeamOptions *o;
    size_t width; /* beams per group */
    size_t max_length;
    BeamText *done;
    size_t n_done;
    Extension *extensions; /* (beams * NEXT_MAX) of one group */
} Search;

static double score_of(const BeamOptions *o, double log_prob, size_t tokens) {
    return log_prob / pow((double)(tokens ? tokens : 1), o->length_power);
}

/* ------------------------------------------------------------------ finished texts */

/* Keep the `beams` best finished texts, best first.  The token that ends a text counts,
 * though it is not part of it. */
static void finish_text(Search *s, const LiveText *beam, double log_prob, StopReason reason) {
    bool ends = reason == STOP_END || reason == STOP_ID;
    double score = score_of(s->o, log_prob, text_written(beam) + ends);
    size_t at = s->n_done;
    while (at > 0 && s->done[at - 1].score < score) at--;
    if (at == s->o->beams) return;
    if (s->n_done == s->o->beams) token_list_free(&s->done[--s->n_done].tokens);
    memmove(&s->done[at + 1], &s->done[at], (s->n_done - at) * sizeof *s->done);
    s->n_done++;
    s->done[at] = (BeamText){.log_prob = log_prob, .score = score, .reason = reason};
    text_copy(beam, &s->done[at].tokens);
}

/* Would this token end the text?  Then it is kept as finished, if among the best; the beam
 * is unchanged. */
static bool try_extension(Search *s, const Extension *x, bool among) {
    LiveText *b = x->beam;
    const TextState before = b->state;
    size_t count = b->tokens.count;
    StopReason reason;
    bool ends = text_take(b, x->token, &reason);
    if (ends && among) finish_text(s, b, x->log_prob, reason);
    if (b->tokens.count > count) chain_rewind(&b->rules, 1);
    b->state = before, b->tokens.count = count;
    return ends;
}

/* ------------------------------------------------------------------ extensions */

/* Keep the likeliest tokens.  A group looks at 2 * width extensions of a beam, and earlier
 * groups have lowered at most `beams` tokens, so these are enough. */
static void keep_next(LiveText *b, Candidates *c, const Step *step) {
    (void)step;
    const Search *s = b->texts->owner;
    candidates_keep_best(c, 2 * s->width + s->o->beams);
    for (size_t i = 0; i < c->count && c->logits[i] > -INFINITY; i++)
        b->next[b->n_next] = candidates_id(c, i), b->logit[b->n_next++] = c->logits[i];
}

static int by_rank(const void *a, const void *b) {
    const Extension *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    if (x->beam != y->beam) return x->beam->place < y->beam->place ? -1 : 1;
    return x->token < y->token ? -1 : 1;
}

/* The likeliest extensions of a beam, 2 * width at most, with the penalty for earlier
 * groups' choices. */
static size_t extend(const Search *s, LiveText *b, const Extension *chosen, size_t n_chosen,
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
    const Texts *t = &s->texts;
    for (LiveText *const *b = t->live; b < t->live + t->count; b++)
        if ((*b)->group == group || t->steps == 0) count += extend(s, *b, next, n, all + count);
    qsort(all, count, sizeof *all, by_rank);
    for (size_t i = 0; i < count && kept < s->width; i++)
        if (!try_extension(s, &all[i], i < s->width)) next[n + kept++] = all[i];
    return kept;
}

/* ------------------------------------------------------------------ a step */

static void one_step(Search *s) {
    Extension next[BEAM_MAX];
    LiveText *of[BEAM_MAX];
    StopReason reason;
    size_t n = 0, group[BEAM_MAX];
    for (size_t g = 0; g < s->o->groups; g++) {
        size_t added = step_group(s, g, next, n);
        for (size_t i = 0; i < added; i++) group[n++] = g;
    }
    for (size_t i = 0; i < n; i++) of[i] = next[i].beam;
    texts_fork(&s->texts, of, n);
    for (size_t i = 0; i < n; i++) {
        text_take(of[i], next[i].token, &reason);
        of[i]->state.log_prob = next[i].log_prob;
        of[i]->group = group[i], of[i]->read = false;
    }
    s->texts.steps++;
}

/* Can no beam beat the worst finished text any more?  ln p only falls, and with a positive
 * power the longest text divides it the most. */
static bool cannot_improve(const Search *s) {
    double best = -INFINITY;
    if (s->n_done < s->o->beams) return false;
    if (s->o->early) return true;
    for (size_t i = 0; i < s->texts.count; i++) {
        const LiveText *b = s->texts.live[i];
        size_t longest = s->o->length_power > 0 ? s->max_length : text_written(b);
        best = fmax(best, score_of(s->o, b->state.log_prob, longest));
    }
    return best <= s->done[s->n_done - 1].score;
}

static bool beam_is_over(Search *s, StopReason *reason) {
    return s->texts.count == 0 || cannot_improve(s) || texts_time_is_up(&s->texts, reason);
}

static bool search(Search *s) {
    StopReason reason = STOP_LIMIT;
    Texts *t = &s->texts;
    if (!texts_read(t)) return false;
    while (!beam_is_over(s, &reason)) {
        if (!texts_read(t)) return false;
        one_step(s);
    }
    for (size_t i = 0; i < t->count && !cannot_improve(s); i++)
        finish_text(s, t->live[i], t->live[i]->state.log_prob, reason);
    return s->n_done > 0 || reason == STOP_CALLER || (*t->fault = t->dead_end, false);
}

static bool beam_check(const BeamOptions *o, Fault *fault) {
    return (o->beams >= 1 && o->beams <= BEAM_MAX && o->groups >= 1 &&
            o->beams % o->groups == 0) ||
           fault_set(fault,
                     "%zu beams in %zu groups: wanted 1 to %d beams, and groups that divide "
                     "them",
                     o->beams, o->groups, BEAM_MAX);
}

bool beam_search(Session *session, const int32_t *prompt, size_t n, const BeamOptions *o,
                 BeamText *texts, size_t *count, Fault *fault) {
    if (!beam_check(o, fault) || !texts_check(session, o->text.rules, n, o->beams, fault))
        return false;
    Search s = {.texts = {.session = session,
                          .options = &o->text,
                          .look = keep_next,
                          .owner = &s,
                          .capacity = o->beams,
                          .fault = fault},
                .o = o,
                .width = o->beams / o->groups,
                .done = calloc(o->beams + 1, sizeof *s.done),
                .extensions = malloc(o->beams * NEXT_MAX * sizeof *s.extensions)};
    bool ok = (s.done && s.extensions) || fault_set(fault, "no memory for beam search");
    ok = ok && texts_open(&s.texts, prompt, n);
    s.max_length =
        o->text.limits.max_tokens < s.texts.room ? o->text.limits.max_tokens : s.texts.room;
    ok = ok && search(&s);
    *count = ok ? s.n_done : 0;
    for (size_t i = 0; s.done && i < s.n_done; i++) {
        if (ok)
            texts[i] = s.done[i];
        else
            token_list_free(&s.done[i].tokens);
    }
    texts_close(&s.texts);
    free(s.done), free(s.extensions);
    return ok;
}

void beam_free(BeamText *texts, size_t count) {
    for (size_t i = 0; i < count; i++) token_list_free(&texts[i].tokens);
}
