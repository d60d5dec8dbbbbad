/* aligned.c - see aligned.h.  Three texts (texts.h): the prompt, which is never evaluated and
 * from which draws are forked; the draw before; the draw now, which shares its pages. */
#include "aligned.h"
#include "beam/texts.h"

#include <math.h>
#include <stdlib.h>

/* A prefix: its last token, and lists of indices, in which 0 (the prompt) is the end. */
typedef struct TrieNode {
    int32_t token;
    uint32_t child, next;
    float log_obey; /* 0: nothing was lost below it so far */
} TrieNode;

enum { PROMPT = 0 };
static const uint32_t NOT_KEPT = UINT32_MAX; /* the trie is full */

/* A token of the draw now. */
typedef struct Drawn {
    uint32_t prefix; /* before it */
    double log_p;    /* under the model */
    double log_rest; /* ln of the sum of p * obey over the other tokens */
} Drawn;

typedef struct Draws {
    Texts texts;
    const AlignedOptions *o;
    TrieNode *trie;
    size_t kept, trie_room;
    Drawn *path;
    size_t depth, path_room;
    uint32_t at; /* the prefix now */
    AlignedResult *result;
    StopReason why; /* of stopped */
    bool stopped;   /* by the caller or the time limit */
} Draws;

enum { ORIGIN, NOW, NEXT };

/* ------------------------------------------------------------------ the trie */

/* 0: none. */
static uint32_t find_child(const Draws *d, uint32_t prefix, int32_t token) {
    if (prefix == NOT_KEPT) return 0;
    uint32_t i = d->trie[prefix].child;
    while (i && d->trie[i].token != token) i = d->trie[i].next;
    return i;
}

static bool add_prefix(Draws *d, uint32_t parent, int32_t token) {
    if (!GROW(d->trie, d->trie_room, d->kept + 1))
        return fault_set(d->texts.fault, "no memory for %zu prefixes", d->kept + 1);
    d->trie[d->kept] = (TrieNode){.token = token};
    if (d->kept > 0) {
        d->trie[d->kept].next = d->trie[parent].child;
        d->trie[parent].child = (uint32_t)d->kept;
    }
    d->kept++;
    return true;
}

static bool go_down(Draws *d, int32_t token) {
    size_t most = d->o->prefixes ? d->o->prefixes : ALIGNED_PREFIXES;
    uint32_t child = find_child(d, d->at, token);
    if (!child && d->at != NOT_KEPT && d->kept < most) {
        if (!add_prefix(d, d->at, token)) return false;
        child = (uint32_t)d->kept - 1;
    }
    d->at = child ? child : NOT_KEPT;
    return true;
}

/* Lower a bound; what is returned is the lowest known. */
static double lower(Draws *d, uint32_t prefix, double log_obey) {
    if (prefix == NOT_KEPT) return log_obey;
    float *bound = &d->trie[prefix].log_obey;
    *bound = fminf(*bound, (float)log_obey);
    return (double)*bound;
}

static double log_add(double a, double b) {
    double max = fmax(a, b);
    return max > -INFINITY ? max + log1p(exp(fmin(a, b) - max)) : max;
}

/* From the end of the draw back to the prompt: sums of positive terms, so that a bound of e^-40
 * is as exact as one of 1/2. */
static void learn(Draws *d, bool is_dead_end) {
    double obey = is_dead_end ? lower(d, d->at, -INFINITY) : 0;
    for (size_t i = d->depth; i-- > 0;) {
        const Drawn *x = &d->path[i];
        obey = lower(d, x->prefix, log_add(x->log_rest, x->log_p + obey));
    }
}

/* ------------------------------------------------------------------ a draw */

/* Draw from p * obey; log_left becomes ln p / q.  Nothing left: a dead end. */
static void draw_aligned(LiveText *x, Candidates *c, const Step *step) {
    const Draws *d = x->texts->owner;
    Stage *draw = &x->rules.stages[x->rules.count - 1];
    Step own = *step;
    own.seed = d->o->seed + d->result->texts;
    uint32_t i = d->at == NOT_KEPT ? 0 : d->trie[d->at].child;
    for (; i; i = d->trie[i].next) {
        size_t entry = candidates_find(c, d->trie[i].token);
        if (entry < c->count) c->logits[entry] += d->trie[i].log_obey;
    }
    candidates_changed(c);
    if (candidates_alive(c) == 0) return;
    draw->kind->apply(draw, c, &own);
    uint32_t child = find_child(d, d->at, c->chosen);
    size_t entry = candidates_find(c, c->chosen);
    Drawn *now = &d->path[d->depth];
    x->next[0] = c->chosen, x->n_next = 1;
    now->prefix = d->at;
    now->log_p = (double)c->logits[entry] - x->log_sum;
    if (child) now->log_p -= (double)d->trie[child].log_obey;
    x->log_left = now->log_p - candidates_log_prob(c, c->chosen);
    c->logits[entry] = -INFINITY;
    candidates_changed(c);
    now->log_rest =
        candidates_alive(c) > 0 ? candidates_log_sum(c) - x->log_sum : (double)-INFINITY;
}

static bool draw_text(Draws *d, LiveText *x, size_t most) {
    StopReason reason;
    d->depth = 0, d->at = PROMPT;
    while (!x->state.over && d->depth < most) {
        if (!GROW(d->path, d->path_room, d->depth + 1))
            return fault_set(d->texts.fault, "no memory for a text's probabilities");
        x->read = false;
        if (!texts_read(&d->texts)) return false;
        d->stopped = texts_are_stopped(&d->texts, d->result->drawn, &d->why);
        if (x->n_next == 0 || d->stopped) return true;
        x->state.log_prob += d->path[d->depth++].log_p;
        x->state.log_weight += x->log_left;
        d->result->drawn++;
        x->state.over = text_take(x, x->next[0], &reason);
        if (x->state.over)
            x->state.reason = reason;
        else if (d->depth < most && !go_down(d, x->next[0]))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the run */

static void keep_text(Draws *d, const LiveText *x) {
    AlignedResult *r = d->result;
    r->tokens.count = 0;
    text_copy(x, &r->tokens);
    r->reason = x->state.reason;
}

/* A draw has come to its end, and is the result until the next one does. */
static void end_text(Draws *d, LiveText *x, size_t most) {
    AlignedResult *r = d->result;
    bool is_dead_end = !x->state.over && d->depth < most;
    if (is_dead_end) x->state.reason = STOP_DEAD_END, x->state.log_weight = -INFINITY;
    if (!x->state.over && !is_dead_end) {
        r->cut++;
        x->state.reason = most < d->o->text.limits.max_tokens ? STOP_CONTEXT : STOP_LIMIT;
    }
    learn(d, is_dead_end);
    if (!is_dead_end) keep_text(d, x);
    r->dead_ends += is_dead_end, r->texts++;
    r->log_share = log_add(r->log_share, x->state.log_weight);
    r->log_bound = (double)d->trie[PROMPT].log_obey, r->prefixes = d->kept;
    AlignedText text = {.number = r->texts,
                        .tokens = text_written(x),
                        .log_prob = x->state.log_prob,
                        .log_weight = x->state.log_weight,
                        .log_bound = r->log_bound,
                        .reason = x->state.reason};
    if (d->o->on_text) d->o->on_text(d->o->context, &text);
}

/* The text before is dropped when the next one has taken over the prompt's pages. */
static bool draw_next(Draws *d, size_t most) {
    Texts *t = &d->texts;
    bool is_first = d->result->texts == 0;
    LiveText *of[] = {t->live[ORIGIN], is_first ? t->live[ORIGIN] : t->live[NOW],
                      t->live[ORIGIN]};
    texts_fork(t, of, is_first ? 2 : 3);
    LiveText *x = t->live[is_first ? NOW : NEXT];
    x->state.over = false;
    if (!draw_text(d, x, most)) return false;
    if (!d->stopped)
        end_text(d, x, most);
    else if (d->result->texts == d->result->dead_ends)
        keep_text(d, x);
    x->state.over = true; /* it is not read on */
    LiveText *rest[] = {t->live[ORIGIN], x};
    texts_fork(t, rest, 2);
    return true;
}

static bool draw_all(Draws *d) {
    Texts *t = &d->texts;
    AlignedResult *r = d->result;
    size_t most =
        t->room < d->o->text.limits.max_tokens ? t->room : d->o->text.limits.max_tokens;
    if (!add_prefix(d, PROMPT, -1)) return false;
    t->live[ORIGIN]->state.over = true; /* it is not evaluated */
    while (r->texts < d->o->texts && !d->stopped && r->log_bound > -INFINITY)
        if (!draw_next(d, most)) return false;
    r->log_share -= log((double)r->texts);
    if (d->stopped)
        r->reason = d->why;
    else if (r->texts == r->dead_ends)
        return *t->fault = t->dead_end, false;
    return true;
}

bool aligned_draw(Session *session, const int32_t *prompt, size_t n, const AlignedOptions *o,
                  AlignedResult *result, Fault *fault) {
    *result = (AlignedResult){.log_share = -INFINITY};
    if (o->texts < 1) return fault_set(fault, "0 texts: wanted 1 or more");
    if (!texts_check(session, o->text.rules, n, 2, fault)) return false;
    Draws d = {.texts = {.session = session,
                         .options = &o->text,
                         .look = draw_aligned,
                         .owner = &d,
                         .capacity = 3,
                         .fault = fault},
               .o = o,
               .result = result};
    bool ok = texts_open(&d.texts, prompt, n) && draw_all(&d);
    texts_close(&d.texts);
    free(d.trie), free(d.path);
    return ok;
}
