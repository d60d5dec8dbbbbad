/* particles.c - see particles.h.
 *
 * A particle is one of several texts that go on side by side (texts.h).  Its weight is a
 * logarithm; after resampling all weights are 1, and their mean before is kept in log_share. */
#include "particles.h"
#include "texts.h"

#include <math.h>
#include <stdlib.h>

typedef struct Cloud {
    Texts texts;
    const ParticleOptions *o;
    ParticleResult *result;
} Cloud;

/* ------------------------------------------------------------------ a step */

/* Draw the next token, and note which share of the probability the rules left.  None: the text
 * is a dead end, and weighs nothing. */
static void draw_next(LiveText *x, Candidates *c, const Step *step) {
    const Cloud *cloud = x->texts->owner;
    Step own = *step;
    own.seed = cloud->o->seed + x->place;
    if (candidates_alive(c) == 0) return;
    x->log_left = candidates_log_sum(c) - x->log_sum;
    Stage *draw = &x->rules.stages[x->rules.count - 1];
    draw->kind->apply(draw, c, &own);
    x->next[0] = c->chosen, x->n_next = 1;
    x->logit[0] = c->logits[candidates_find(c, c->chosen)];
}

/* All texts take the tokens they drew. */
static void take_drawn(Cloud *cloud) {
    Texts *t = &cloud->texts;
    for (size_t i = 0; i < t->count; i++) {
        LiveText *x = t->live[i];
        StopReason reason = STOP_LIMIT;
        if (x->state.over) continue;
        x->read = false;
        if (x->n_next == 0) {
            x->state.log_weight = -INFINITY;
            text_finish(x, STOP_DEAD_END);
            continue;
        }
        x->state.log_weight += x->log_left;
        x->state.log_prob += (double)x->logit[0] - x->log_sum;
        cloud->result->tokens++;
        if (text_take(x, x->next[0], &reason)) text_finish(x, reason);
    }
    t->steps++;
}

/* ------------------------------------------------------------------ weights */

typedef struct Weights {
    double share[TEXTS_MAX]; /* of the sum */
    double log_mean, effective;
} Weights;

/* False: all weigh nothing. */
static bool weigh(const Texts *t, Weights *w) {
    double max = -INFINITY, sum = 0, squares = 0;
    for (size_t i = 0; i < t->count; i++) max = fmax(max, t->live[i]->state.log_weight);
    if (!(max > -INFINITY)) return false;
    for (size_t i = 0; i < t->count; i++) {
        w->share[i] = exp(t->live[i]->state.log_weight - max);
        sum += w->share[i], squares += w->share[i] * w->share[i];
    }
    for (size_t i = 0; i < t->count; i++) w->share[i] /= sum;
    w->log_mean = max + log(sum / (double)t->count);
    w->effective = sum * sum / squares;
    return true;
}

/* As many texts as before, each as often as its share says, rounded by one common chance
 * (systematic resampling). */
static void resample(Cloud *cloud, const Weights *w) {
    Texts *t = &cloud->texts;
    LiveText *of[TEXTS_MAX];
    size_t n = t->count, at = 0;
    double sum = w->share[0], first = rng_unit(cloud->o->seed, t->steps, UINT64_MAX);
    for (size_t i = 0; i < n; i++) {
        double point = ((double)i + first) / (double)n;
        while (point >= sum && at + 1 < n) sum += w->share[++at];
        of[i] = t->live[at];
    }
    texts_fork(t, of, n);
    for (size_t i = 0; i < n; i++) of[i]->state.log_weight = 0;
    cloud->result->log_share += w->log_mean, cloud->result->resampled++;
}

static bool any_goes_on(const Texts *t) {
    for (size_t i = 0; i < t->count; i++)
        if (!t->live[i]->state.over) return true;
    return false;
}

/* ------------------------------------------------------------------ the run */

/* The first text was read, and drew for itself; the others begin with its pages. */
static void multiply(Cloud *cloud) {
    LiveText *of[TEXTS_MAX];
    for (size_t i = 0; i < cloud->o->particles; i++) of[i] = cloud->texts.live[0];
    texts_fork(&cloud->texts, of, cloud->o->particles);
}

/* A limit ends those that still go on.  They do not obey yet, so they weigh nothing, unless no
 * text has ended by itself. */
static void end_all(Cloud *cloud, StopReason reason) {
    const Texts *t = &cloud->texts;
    bool any = false;
    for (size_t i = 0; i < t->count; i++)
        any = any || (t->live[i]->state.over && t->live[i]->state.log_weight > -INFINITY);
    for (size_t i = 0; i < t->count; i++) {
        LiveText *x = t->live[i];
        if (x->state.over) continue;
        cloud->result->cut = !any;
        if (any) x->state.log_weight = -INFINITY;
        text_finish(x, reason);
    }
}

static bool run_cloud(Cloud *cloud) {
    Texts *t = &cloud->texts;
    StopReason reason = STOP_LIMIT;
    Weights w;
    if (!texts_read(t)) return false;
    multiply(cloud);
    while (any_goes_on(t) && !texts_time_is_up(t, &reason)) {
        if (!texts_read(t)) return false;
        take_drawn(cloud);
        if (!weigh(t, &w)) return *t->fault = t->dead_end, false;
        if (w.effective < cloud->o->resample * (double)t->count - 1e-9) resample(cloud, &w);
    }
    end_all(cloud, reason);
    return true;
}

/* What is left, and one of it. */
static void hand_out(Cloud *cloud, Particle *out) {
    const Texts *t = &cloud->texts;
    ParticleResult *r = cloud->result;
    Weights w;
    weigh(t, &w);
    double chance = rng_unit(cloud->o->seed, t->steps, UINT64_MAX - 1);
    r->log_share += w.log_mean, r->effective = w.effective, r->chosen = 0;
    for (size_t i = 0; i < t->count; i++) {
        const LiveText *x = t->live[i];
        out[i] = (Particle){
            .weight = w.share[i], .log_prob = x->state.log_prob, .reason = x->state.reason};
        text_copy(x, &out[i].tokens);
        if (chance >= 0 && w.share[i] > 0) r->chosen = i;
        chance -= w.share[i];
    }
}

bool particles_draw(Session *session, const int32_t *prompt, size_t n, const ParticleOptions *o,
                    Particle *out, ParticleResult *result, Fault *fault) {
    if (o->particles < 1 || o->particles > PARTICLES_MAX)
        return fault_set(fault, "%zu particles: wanted 1 to %d", o->particles, PARTICLES_MAX);
    if (!texts_check(session, o->text.rules, n, o->particles, fault)) return false;
    Cloud cloud = {.texts = {.session = session,
                             .options = &o->text,
                             .look = draw_next,
                             .owner = &cloud,
                             .capacity = o->particles,
                             .fault = fault},
                   .o = o,
                   .result = result};
    *result = (ParticleResult){0};
    bool ok = texts_open(&cloud.texts, prompt, n) && run_cloud(&cloud);
    if (ok) hand_out(&cloud, out);
    texts_close(&cloud.texts);
    return ok;
}

void particles_free(Particle *particles, size_t count) {
    for (size_t i = 0; i < count; i++) token_list_free(&particles[i].tokens);
}
