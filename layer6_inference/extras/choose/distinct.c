/* distinct.c - see distinct.h.  A beam is one of several texts that go on side by side
 * (texts.h); log_prob is the chain's, log_weight the score. */
#include "distinct.h"
#include "beam/texts.h"

#include <math.h>
#include <stdlib.h>

/* A text with one more token; or one that is over, token -1. */
typedef struct Longer {
    LiveText *text;
    int32_t token;
    double log_prob, score;
} Longer;

typedef struct Drawing {
    Texts texts;
    const DistinctOptions *o;
    Longer *next; /* (TEXTS_MAX, TEXTS_MAX): the best extensions of each beam */
    size_t tokens;
} Drawing;

/* ------------------------------------------------------------------ scores */

static double gumbel(double u) { return -log(-log(u + 0x1p-54)); }

/* A sorted list of at most `room`, the largest score first; returns how many there are. */
static size_t insert(Longer *list, size_t count, size_t room, Longer x) {
    size_t at = count;
    if (count == room && list[count - 1].score >= x.score) return count;
    if (count == room) at = --count;
    for (; at > 0 && list[at - 1].score < x.score; at--) list[at] = list[at - 1];
    list[at] = x;
    return count + 1;
}

/* Scores under the condition that the largest, `max`, is the beam's own: the distribution
 * function of a Gumbel variable below a limit, inverted (appendix B of the paper). */
static double below(double score, double max, double limit) {
    if (score >= max) return limit;
    double v = limit - score + log1p(-exp(score - max));
    return limit - fmax(v, 0) - log1p(exp(-fabs(v)));
}

/* Draw the scores of all extensions, and note the best. */
static void draw_scores(LiveText *x, Candidates *c, const Step *step) {
    const Drawing *d = x->texts->owner;
    Longer *best = d->next + x->place * TEXTS_MAX;
    uint64_t stream = rng_hash(d->o->seed, step->position, x->place);
    if (candidates_alive(c) == 0) return;
    double log_sum = candidates_log_sum(c);
    for (size_t i = 0; i < c->count; i++) {
        if (c->logits[i] == -INFINITY) continue;
        int32_t token = candidates_id(c, i);
        double log_prob = x->state.log_prob + (double)c->logits[i] - log_sum;
        double score = log_prob + gumbel(rng_unit(d->o->seed, stream, (uint64_t)token));
        x->n_next =
            insert(best, x->n_next, x->texts->capacity, (Longer){x, token, log_prob, score});
    }
    double max = best->score;
    for (size_t i = 0; i < x->n_next; i++)
        best[i].score = below(best[i].score, max, x->state.log_weight);
}

/* ------------------------------------------------------------------ a step */

/* The best of all: of those that are over, and of the extensions of the others. */
static size_t choose_best(const Drawing *d, Longer *best) {
    const Texts *t = &d->texts;
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        LiveText *x = t->live[i];
        const TextState *s = &x->state;
        if (s->over)
            count =
                insert(best, count, t->capacity, (Longer){x, -1, s->log_prob, s->log_weight});
        for (size_t k = 0; !s->over && k < x->n_next; k++)
            count = insert(best, count, t->capacity, d->next[i * TEXTS_MAX + k]);
    }
    return count;
}

static void lengthen(Drawing *d) {
    Longer best[TEXTS_MAX];
    LiveText *of[TEXTS_MAX];
    StopReason reason;
    size_t n = choose_best(d, best);
    for (size_t i = 0; i < n; i++) of[i] = best[i].text;
    texts_fork(&d->texts, of, n);
    for (size_t i = 0; i < n; i++) {
        if (best[i].token < 0) continue;
        of[i]->state.log_prob = best[i].log_prob, of[i]->state.log_weight = best[i].score;
        of[i]->read = false, d->tokens++;
        if (text_take(of[i], best[i].token, &reason)) text_finish(of[i], reason);
    }
    d->texts.steps++;
}

static bool any_is_open(const Texts *t) {
    for (size_t i = 0; i < t->count; i++)
        if (!t->live[i]->state.over) return true;
    return false;
}

static bool draw_all(Drawing *d) {
    Texts *t = &d->texts;
    StopReason reason = STOP_LIMIT;
    t->live[0]->state.log_weight = gumbel(rng_unit(d->o->seed, UINT64_MAX, 0));
    if (!texts_read(t)) return false;
    while (any_is_open(t) && !texts_time_is_up(t, &reason)) {
        if (!texts_read(t)) return false;
        lengthen(d);
    }
    for (size_t i = 0; i < t->count; i++)
        if (!t->live[i]->state.over) text_finish(t->live[i], reason);
    return t->count > 0 ||
           fault_set(t->fault, "dead end: no token goes on with a text that obeys");
}

/* ------------------------------------------------------------------ the result */

/* The threshold is the score of the first text that was not taken; without one all there are
 * were taken. */
static size_t hand_out_distinct(const Drawing *d, DistinctText *out) {
    const Texts *t = &d->texts;
    size_t n = t->count < d->o->texts ? t->count : d->o->texts;
    double limit = n < t->count ? t->live[n]->state.log_weight : -INFINITY;
    for (size_t i = 0; i < n; i++) {
        const TextState *s = &t->live[i]->state;
        double included = -expm1(-exp(s->log_prob - limit));
        out[i] = (DistinctText){.log_prob = s->log_prob,
                                .score = s->log_weight,
                                .weight = exp(s->log_prob) / included,
                                .reason = s->reason};
        text_copy(t->live[i], &out[i].tokens);
    }
    return n;
}

bool distinct_draw(Session *session, const int32_t *prompt, size_t n, const DistinctOptions *o,
                   DistinctText *out, size_t *count, size_t *tokens, Fault *fault) {
    if (o->texts < 1 || o->texts > DISTINCT_MAX)
        return fault_set(fault, "%zu distinct texts: wanted 1 to %d", o->texts, DISTINCT_MAX);
    if (!texts_check(session, o->text.rules, n, o->texts + 1, fault)) return false;
    Drawing d = {.texts = {.session = session,
                           .options = &o->text,
                           .look = draw_scores,
                           .owner = &d,
                           .capacity = o->texts + 1,
                           .fault = fault},
                 .o = o,
                 .next = malloc(TEXTS_MAX * TEXTS_MAX * sizeof *d.next)};
    bool ok = d.next || fault_set(fault, "no memory for %zu texts", o->texts);
    ok = ok && texts_open(&d.texts, prompt, n) && draw_all(&d);
    *count = ok ? hand_out_distinct(&d, out) : 0, *tokens = d.tokens;
    texts_close(&d.texts);
    free(d.next);
    return ok;
}

void distinct_free(DistinctText *texts, size_t count) {
    for (size_t i = 0; i < count; i++) token_list_free(&texts[i].tokens);
}
