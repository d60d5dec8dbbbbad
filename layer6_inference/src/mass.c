/* mass.c - how many of the best are needed for a mass, without sorting the others.  See
 * candidates.h.
 *
 *     best ........................................ worst
 *     |--- needed: mass so far ---|--- open ---|--- not needed ---|
 *
 * The border lies in the open range, whose mass is known.  A sample of it says where about; a cut a
 * little above that place and one a little below leave a small part of it.  A cut copies out the
 * smaller side and adds up that side's mass; what is not copied has the rest.  So a flat
 * distribution is read about twice, and a peaked one once. */
#include "facts.h"
#include "order.h"

#include <math.h>

enum {
    SMALL = 128, /* so few are sorted rather than cut further */
    SAMPLE = 256 /* so many say where about the border lies */
};

typedef struct Open {
    Candidates *c;
    const float *values;    /* what the order goes by */
    const int32_t *entries; /* NULL: 0, 1, 2, ... */
    size_t n;
    bool by_logit; /* the values are the logits themselves */
    double mass;   /* of the open range, in units of exp(max) */
    double want;   /* still to be found in it */
    size_t least;  /* and at least so many of it */
    size_t needed; /* above it */
    int next;      /* which working memory is free */
} Open;

/* The last one that is kept, and how many that makes. */
typedef struct Border {
    uint64_t last;
    size_t count;
} Border;

static size_t entry_at(const Open *o, size_t i) {
    return o->entries ? (size_t)o->entries[i] : i;
}

static double mass_of(const Open *o, const float *values, const int32_t *entries, size_t n) {
    float max = candidates_max(o->c);
    if (o->by_logit) return scan_exp(values, n, max).sum;
    double mass = 0;
    float logits[SCAN_CHUNK];
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        size_t size = n - i < SCAN_CHUNK ? n - i : SCAN_CHUNK;
        for (size_t k = 0; k < size; k++) logits[k] = o->c->logits[entries[i + k]];
        mass += scan_exp(logits, size, max).sum;
    }
    return mass;
}

/* Copy out one side of a pivot: above is >= pivot. */
static size_t copy_side(const Open *o, float pivot, bool above) {
    return (above ? scan_keep : scan_below)(o->values, o->entries, o->n, pivot,
                                            o->c->work[o->next], o->c->work_ids[o->next]);
}

/* The side that was copied out is the open range now. */
static void take_side(Open *o, size_t n, double mass) {
    o->values = o->c->work[o->next], o->entries = o->c->work_ids[o->next];
    o->n = n, o->mass = mass;
    o->next ^= 1;
}

/* Cut the open range at a pivot, copying out the side where the border should be.  False when one
 * side is empty. */
static bool cut(Open *o, float pivot, bool above) {
    size_t n = copy_side(o, pivot, above), before = o->n;
    if (n == 0 || n == before) return false;
    double mass = mass_of(o, o->c->work[o->next], o->c->work_ids[o->next], n),
           rest = o->mass - mass > 0 ? o->mass - mass : 0;
    double mass_above = above ? mass : rest;
    size_t n_above = above ? n : before - n;
    bool border_above = mass_above >= o->want && n_above >= o->least;
    if (border_above != above) n = copy_side(o, pivot, !above), mass = rest; /* a wrong guess */
    if (!border_above) {
        o->want -= mass_above, o->needed += n_above;
        o->least -= o->least < n_above ? o->least : n_above;
    }
    take_side(o, n, mass);
    return true;
}

/* Values from the whole open range, best first, and the mass that each stands for. */
typedef struct Sample {
    float value[SAMPLE], weight[SAMPLE];
    size_t n;
} Sample;

static void take_sample(const Open *o, Sample *s) {
    uint64_t keys[SAMPLE];
    float logit[SAMPLE];
    s->n = o->n > 64 * SAMPLE ? SAMPLE : SAMPLE / 4;
    for (size_t i = 0; i < s->n; i++) {
        size_t at = o->n * i / s->n;
        keys[i] = order_key(o->values[at], (int32_t)at);
    }
    order_sort(keys, s->n);
    for (size_t i = 0; i < s->n; i++) {
        size_t at = (size_t)order_id(keys[i]);
        s->value[i] = o->values[at];
        logit[i] = o->by_logit ? o->values[at] : o->c->logits[entry_at(o, at)];
    }
    vector_exp(s->weight, logit, candidates_max(o->c), s->n);
}

/* Where in the sample the border should be.  What the sample does not account for, it has missed: a
 * few heavy ones, far above it. */
static size_t place_of_border(const Open *o, const Sample *s) {
    double each = (double)o->n / (double)s->n, known = 0, sum;
    for (size_t i = 0; i < s->n; i++) known += each * (double)s->weight[i];
    sum = o->mass > known ? o->mass - known : 0;
    size_t i = 0;
    while (i + 1 < s->n && (sum += each * (double)s->weight[i]) < o->want) i++;
    return i;
}

/* Narrow the open range.  False when all values of it are equal. */
static bool narrow(Open *o) {
    Sample s;
    take_sample(o, &s);
    size_t place = place_of_border(o, &s), before = o->n;
    double p = (double)place / (double)s.n;
    size_t slack = 1 + (size_t)(2 * sqrt((double)s.n * p * (1 - p)));
    bool has_low = place + slack < s.n, in_upper = 2 * place < s.n;
    bool has_high = place > slack;
    float low = s.value[has_low ? place + slack : place],
          high = s.value[has_high ? place - slack : place];
    if (has_low && in_upper) cut(o, low, true);
    if (has_high) cut(o, high, false);
    if (has_low && !in_upper) cut(o, low, true);
    if (o->n < before || cut(o, s.value[place], true)) return true;
    /* no value is smaller than this one: cut just above it */
    return cut(o, nextafterf(s.value[place], INFINITY), true);
}

/* Sort what is open and go through it. */
static Border finish(const Open *o) {
    Candidates *c = o->c;
    for (size_t i = 0; i < o->n; i++)
        c->keys[i] = order_key(o->values[i], candidates_id(c, entry_at(o, i)));
    order_sort(c->keys, o->n);
    double mass = 0, max = (double)candidates_max(c);
    for (size_t i = 0;; i++) {
        double logit = o->by_logit
                           ? (double)order_value(c->keys[i])
                           : (double)c->logits[candidates_find(c, order_id(c->keys[i]))];
        if (logit == -INFINITY && i && i >= o->least)
            return (Border){c->keys[i - 1], o->needed + i};
        mass += exp(logit - max);
        if ((mass >= o->want && i + 1 >= o->least) || i + 1 == o->n)
            return (Border){c->keys[i], o->needed + i + 1};
    }
}

/* All that are open have the same logit: so many of the lowest ids. */
static Border finish_equal(const Open *o) {
    Candidates *c = o->c;
    double each = mass_of(o, o->values, o->entries, o->n) / (double)o->n;
    double wanted = each > 0 ? ceil(o->want / each) : (double)o->n;
    size_t more = wanted < 1 ? 1 : wanted > (double)o->n ? o->n : (size_t)wanted;
    if (more < o->least) more = o->least < o->n ? o->least : o->n;
    for (size_t i = 0; i < o->n; i++)
        c->keys[i] = order_key(o->values[i], candidates_id(c, entry_at(o, i)));
    if (!c->dense) order_sort(c->keys, o->n);
    return (Border){c->keys[more - 1], o->needed + more};
}

static Border find_border(Candidates *c, const float *values, bool by_logit, double mass,
                          size_t least) {
    double all = exp(candidates_log_sum(c) - (double)candidates_max(c));
    Open o = {.c = c,
              .values = values,
              .n = c->count,
              .by_logit = by_logit,
              .mass = all,
              .want = mass * all,
              .least = least};
    while (o.n > SMALL)
        if (!narrow(&o)) return by_logit ? finish_equal(&o) : finish(&o);
    return finish(&o);
}

/* Of those with the border's own value, the higher ids go. */
static size_t drop_ties(const float *values, size_t count, Border border, float *logits,
                        int32_t *ids) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] == order_value(border.last) && ids[i] > order_id(border.last)) continue;
        logits[kept] = logits[i], ids[kept++] = ids[i];
    }
    return kept;
}

static void finish_survivors(Candidates *c, size_t count) {
    candidates_take_survivors(c, count, false);
    if (count <= 2 * SMALL) candidates_sort(c);
}

static void keep_mass_sorted(Candidates *c, double mass, size_t least) {
    double max = (double)c->logits[0], so_far = 0,
           want = mass * exp(candidates_log_sum(c) - max);
    size_t n = 0;
    while (n < c->count && (n < least || so_far < want))
        so_far += exp((double)c->logits[n++] - max);
    candidates_keep_best(c, n ? n : 1);
}

void candidates_keep_mass(Candidates *c, double mass, size_t least) {
    if (c->sorted) {
        keep_mass_sorted(c, mass, least);
        return;
    }
    Border border = find_border(c, c->logits, true, mass, least);
    size_t kept = scan_keep(c->logits, c->dense ? NULL : c->ids, c->count,
                            order_value(border.last), c->survivors, c->survivor_ids);
    if (kept > border.count)
        kept = drop_ties(c->survivors, kept, border, c->survivors, c->survivor_ids);
    finish_survivors(c, kept);
}

void candidates_keep_near(Candidates *c, double center, double mass, size_t least) {
    for (size_t i = 0; i < c->count; i++) c->nearness[i] = -fabsf(c->logits[i] - (float)center);
    Border border = find_border(c, c->nearness, false, mass, least);
    float *near = c->work[0];
    int32_t *entries = c->work_ids[0];
    size_t kept =
        scan_keep(c->nearness, NULL, c->count, order_value(border.last), near, entries);
    for (size_t i = 0; i < kept; i++) c->survivors[i] = c->logits[entries[i]];
    for (size_t i = 0; i < kept; i++)
        c->survivor_ids[i] = c->dense ? entries[i] : c->ids[entries[i]];
    if (kept > border.count)
        kept = drop_ties(near, kept, border, c->survivors, c->survivor_ids);
    finish_survivors(c, kept);
}
