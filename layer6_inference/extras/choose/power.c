/* power.c - see power.h.  Three texts (texts.h): the prompt, which is never evaluated and from
 * which proposals are forked; the text now; the proposal, which shares the pages of its
 * beginning. */
#include "power.h"
#include "beam/texts.h"

#include <math.h>
#include <stdlib.h>

/* ln p under the model and ln q of the proposal for each choice of a text, its end included. */
typedef struct Path {
    double *p, *q; /* (count) */
    size_t count, p_room, q_room;
} Path;

typedef struct Walk {
    Texts texts;
    const PowerOptions *o;
    Path now, next;
    PowerResult *result;
    bool stopped; /* by the caller or the time limit: why */
    StopReason why;
} Walk;

enum { ORIGIN, NOW, NEXT };

/* ------------------------------------------------------------------ drawing an ending */

/* Draw a token from what the rules left, at the temperature 1 / power. */
static void draw_sharpened(LiveText *x, Candidates *c, const Step *step) {
    const Walk *w = x->texts->owner;
    Stage *draw = &x->rules.stages[x->rules.count - 1];
    Step own = *step;
    size_t move = w->result->proposed;
    own.seed = move ? rng_hash(w->o->seed, UINT64_MAX, move) : w->o->seed;
    if (candidates_alive(c) == 0) return;
    if (w->o->power != 1) candidates_scale(c, (float)w->o->power);
    draw->kind->apply(draw, c, &own);
    x->next[0] = c->chosen, x->n_next = 1;
    x->log_left = candidates_log_prob(c, c->chosen);
    x->logit[0] = c->logits[candidates_find(c, c->chosen)] / (float)w->o->power;
}

static bool path_add(Path *path, double p, double q) {
    if (!GROW(path->p, path->p_room, path->count + 1) ||
        !GROW(path->q, path->q_room, path->count + 1))
        return false;
    path->p[path->count] = p, path->q[path->count++] = q;
    return true;
}

/* Draw until the text is over or has `until` tokens.  A dead end leaves it open and shorter. */
static bool draw_ending(Walk *w, LiveText *x, Path *path, size_t until) {
    StopReason reason;
    while (!x->state.over && path->count < until) {
        x->read = false;
        if (!texts_read(&w->texts)) return false;
        if (x->n_next == 0) return true;
        w->stopped = texts_are_stopped(&w->texts, w->result->drawn, &w->why);
        if (w->stopped) return true;
        if (!path_add(path, (double)x->logit[0] - x->log_sum, x->log_left))
            return fault_set(w->texts.fault, "no memory for a text's probabilities");
        w->result->drawn++;
        x->state.over = text_take(x, x->next[0], &reason);
        if (x->state.over) x->state.reason = reason;
    }
    return true;
}

/* ------------------------------------------------------------------ a move */

static double sum_from(const double *x, size_t from, size_t count) {
    double sum = 0;
    for (size_t i = from; i < count; i++) sum += x[i];
    return sum;
}

/* ln of the ratio that decides; both texts share the first `cut` choices. */
static double log_ratio(const Walk *w, size_t cut) {
    const Path *old = &w->now, *new = &w->next;
    double p = sum_from(new->p, cut, new->count) - sum_from(old->p, cut, old->count);
    double q = sum_from(new->q, cut, new->count) - sum_from(old->q, cut, old->count);
    return w->o->power * p - q + log((double)old->count / (double)new->count);
}

/* A third text: the first `cut` tokens of the text now. */
static bool begin_proposal(Walk *w, size_t cut) {
    Texts *t = &w->texts;
    StopReason reason;
    LiveText *of[] = {t->live[ORIGIN], t->live[NOW], t->live[ORIGIN]};
    texts_fork(t, of, 3);
    LiveText *next = t->live[NEXT];
    next->state.over = false;
    for (size_t i = 0; i < cut; i++)
        text_take(next, t->live[NOW]->tokens.ids[t->prompt + i], &reason);
    w->next.count = 0;
    for (size_t i = 0; i < cut; i++)
        if (!path_add(&w->next, w->now.p[i], w->now.q[i]))
            return fault_set(t->fault, "no memory for a text's probabilities");
    return true;
}

static bool move(Walk *w, size_t until) {
    Texts *t = &w->texts;
    uint64_t seed = w->o->seed, number = ++w->result->proposed;
    size_t cut = (size_t)(rng_unit(seed, UINT64_MAX - 1, number) * (double)w->now.count);
    if (!begin_proposal(w, cut) || !draw_ending(w, t->live[NEXT], &w->next, until))
        return false;
    bool whole = t->live[NEXT]->state.over || w->next.count == until; /* no dead end */
    bool taken = whole && !w->stopped &&
                 log(rng_unit(seed, UINT64_MAX - 2, number) + 0x1p-54) < log_ratio(w, cut);
    LiveText *of[] = {t->live[ORIGIN], t->live[taken ? NEXT : NOW]};
    texts_fork(t, of, 2);
    if (taken) {
        Path old = w->now;
        w->now = w->next, w->next = old, w->result->accepted++;
    }
    return true;
}

/* ------------------------------------------------------------------ the walk */

static bool walk(Walk *w, size_t most) {
    Texts *t = &w->texts;
    size_t block = w->o->block ? w->o->block : most;
    LiveText *of[] = {t->live[0], t->live[0]};
    texts_fork(t, of, 2);
    t->live[ORIGIN]->state.over = true; /* it is not evaluated */
    for (size_t until = 0; until < most && !t->live[NOW]->state.over && !w->stopped;) {
        until = most - until < block ? most : until + block;
        if (!draw_ending(w, t->live[NOW], &w->now, until)) return false;
        if (!w->stopped && !t->live[NOW]->state.over && w->now.count < until)
            return fault_set(t->fault, "dead end: no token goes on with a text that obeys");
        for (size_t i = 0; i < w->o->moves && w->now.count && !w->stopped; i++)
            if (!move(w, until)) return false;
    }
    return true;
}

bool power_draw(Session *session, const int32_t *prompt, size_t n, const PowerOptions *o,
                PowerResult *result, Fault *fault) {
    *result = (PowerResult){0};
    if (!(o->power > 0) || isinf(o->power))
        return fault_set(fault, "a power of %g: wanted more than 0", o->power);
    if (!texts_check(session, o->text.rules, n, 2, fault)) return false;
    Walk w = {.texts = {.session = session,
                        .options = &o->text,
                        .look = draw_sharpened,
                        .owner = &w,
                        .capacity = 3,
                        .fault = fault},
              .o = o,
              .result = result};
    bool ok = texts_open(&w.texts, prompt, n);
    bool full = w.texts.room < o->text.limits.max_tokens; /* the context ends the text */
    ok = ok && walk(&w, full ? w.texts.room : o->text.limits.max_tokens);
    if (ok) {
        const LiveText *x = w.texts.live[NOW];
        text_copy(x, &result->tokens);
        result->log_prob = sum_from(w.now.p, 0, w.now.count);
        result->reason = w.stopped       ? w.why
                         : x->state.over ? x->state.reason
                         : full          ? STOP_CONTEXT
                                         : STOP_LIMIT;
    }
    texts_close(&w.texts);
    free(w.now.p), free(w.now.q), free(w.next.p), free(w.next.q);
    return ok;
}
