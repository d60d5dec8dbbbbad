/* mass.c - how many of the best candidates make up a mass, without sorting the others.  See
 * candidates.h.
 *
 *     best ........................................ worst
 *     |--- needed: mass so far ---|--- open ---|--- not needed ---|
 *
 * The border is in the open range, whose mass is known.  A sample estimates where; one cut a
 * little above the estimate and one a little below leave a small open range.  A cut copies the
 * smaller side and sums its mass; the rest is on the other side.  So a flat distribution is
 * read about twice, a peaked one once.
 *
 * One call of narrow, for a mass of 0.30 of 6400 values of about the same weight.  Each of a
 * sample of 64 represents 100:
 *
 *     border     at the 20th of the sample, where the mass is 0.31
 *     margin     8 of the sample: twice the standard deviation of this estimate, plus one
 *     first cut  at the 28th: the 2700 above it have 0.42, enough.  They are copied; what is
 *                below is not needed
 *     second     at the 12th: the 1100 above it have 0.17, too little.  They are needed; the
 *                other 1600 are copied, and 0.13 is still to be found among them */
#include "facts.h"
#include "order.h"
#include "pick.h"

#include <math.h>

enum {
    SMALL = 128, /* few enough to sort */
    SAMPLE = 256 /* size of the sample */
};

typedef struct OpenRange {
    Candidates *c;
    const float *values;    /* the sort key of each */
    const int32_t *entries; /* NULL: 0, 1, 2, ... */
    size_t n;
    bool by_logit;   /* the values are the logits themselves */
    double mass;     /* of the open range, in units of exp(max) */
    double want;     /* still to be found in it */
    size_t min_keep; /* at least this many of it */
    size_t needed;   /* candidates above it */
    int next;        /* which working memory is free */
} OpenRange;

/* The last candidate that is kept, and how many are kept. */
typedef struct Border {
    uint64_t last;
    size_t count;
} Border;

static size_t mass_entry_at(const OpenRange *r, size_t i) {
    return r->entries ? (size_t)r->entries[i] : i;
}

static double mass_of(const OpenRange *r, const float *values, const int32_t *entries,
                      size_t n) {
    float max = candidates_max(r->c);
    if (r->by_logit) return scan_exp(values, n, max).sum;
    double mass = 0;
    float logits[SCAN_CHUNK];
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        size_t size = n - i < SCAN_CHUNK ? n - i : SCAN_CHUNK;
        for (size_t k = 0; k < size; k++) logits[k] = r->c->logits[entries[i + k]];
        mass += scan_exp(logits, size, max).sum;
    }
    return mass;
}

/* Copy out one side of a pivot: above is >= pivot. */
static size_t copy_side(const OpenRange *r, float pivot, bool above) {
    return (above ? scan_keep : scan_below)(r->values, r->entries, r->n, pivot,
                                            r->c->work[r->next], r->c->work_ids[r->next]);
}

static void take_side(OpenRange *r, size_t n, double mass) {
    r->values = r->c->work[r->next], r->entries = r->c->work_ids[r->next];
    r->n = n, r->mass = mass;
    r->next ^= 1;
}

/* Cut the open range at a pivot and keep the half that contains the border.  False: one side is
 * empty. */
static bool mass_cut(OpenRange *r, float pivot, bool above) {
    size_t n = copy_side(r, pivot, above), before = r->n;
    if (n == 0 || n == before) return false;
    double mass = mass_of(r, r->c->work[r->next], r->c->work_ids[r->next], n),
           rest = r->mass - mass > 0 ? r->mass - mass : 0;
    double mass_above = above ? mass : rest;
    size_t n_above = above ? n : before - n;
    bool border_above = mass_above >= r->want && n_above >= r->min_keep;
    if (border_above != above)
        n = copy_side(r, pivot, !above), mass = rest; /* the estimate was wrong */
    if (!border_above) {
        r->want -= mass_above, r->needed += n_above;
        r->min_keep -= r->min_keep < n_above ? r->min_keep : n_above;
    }
    take_side(r, n, mass);
    return true;
}

/* Values from the whole open range, best first, and their weights. */
typedef struct Sample {
    float value[SAMPLE], weight[SAMPLE];
    size_t n;
} Sample;

static void take_sample(const OpenRange *r, Sample *s) {
    uint64_t keys[SAMPLE];
    float logit[SAMPLE];
    s->n = r->n > 64 * SAMPLE ? SAMPLE : SAMPLE / 4;
    for (size_t i = 0; i < s->n; i++) {
        size_t at = r->n * i / s->n;
        keys[i] = order_key(r->values[at], (int32_t)at);
    }
    order_sort(keys, s->n);
    for (size_t i = 0; i < s->n; i++) {
        size_t at = (size_t)order_id(keys[i]);
        s->value[i] = r->values[at];
        logit[i] = r->by_logit ? r->values[at] : r->c->logits[mass_entry_at(r, at)];
    }
    vector_exp(s->weight, logit, candidates_max(r->c), s->n);
}

/* Where in the sample the border should be.  Mass that the sample does not account for belongs
 * to a few heavy values it missed, far above the border. */
static size_t place_of_border(const OpenRange *r, const Sample *s) {
    double each = (double)r->n / (double)s->n, known = 0, sum;
    for (size_t i = 0; i < s->n; i++) known += each * (double)s->weight[i];
    sum = r->mass > known ? r->mass - known : 0;
    size_t i = 0;
    while (i + 1 < s->n && (sum += each * (double)s->weight[i]) < r->want) i++;
    return i;
}

/* Narrow the open range.  False: all its values are equal. */
static bool narrow(OpenRange *r) {
    Sample s;
    take_sample(r, &s);
    size_t place = place_of_border(r, &s), before = r->n;
    double p = (double)place / (double)s.n;
    size_t slack = 1 + (size_t)(2 * sqrt((double)s.n * p * (1 - p)));
    bool has_low = place + slack < s.n, in_upper = 2 * place < s.n;
    bool has_high = place > slack;
    float low = s.value[has_low ? place + slack : place],
          high = s.value[has_high ? place - slack : place];
    if (has_low && in_upper) mass_cut(r, low, true);
    if (has_high) mass_cut(r, high, false);
    if (has_low && !in_upper) mass_cut(r, low, true);
    if (r->n < before || mass_cut(r, s.value[place], true)) return true;
    /* no value is smaller: cut just above it */
    return mass_cut(r, nextafterf(s.value[place], INFINITY), true);
}

static Border mass_finish(const OpenRange *r) {
    Candidates *c = r->c;
    float *sorted = c->work[r->next];
    for (size_t i = 0; i < r->n; i++) {
        int32_t id = candidates_id(c, mass_entry_at(r, i));
        c->keys[i] = order_key(r->values[i], id);
        c->entry_of[id] = (int32_t)mass_entry_at(r, i);
    }
    order_sort(c->keys, r->n);
    for (size_t i = 0; i < r->n; i++)
        sorted[i] = r->by_logit ? order_value(c->keys[i])
                                : c->logits[c->entry_of[order_id(c->keys[i])]];
    size_t n = pick_top_p(sorted, r->n, candidates_max(c), r->want);
    if (n < r->min_keep) n = r->min_keep < r->n ? r->min_keep : r->n;
    return (Border){c->keys[n - 1], r->needed + n};
}

static Border finish_equal(const OpenRange *r) {
    Candidates *c = r->c;
    double each = mass_of(r, r->values, r->entries, r->n) / (double)r->n;
    double wanted = each > 0 ? ceil(r->want / each) : (double)r->n;
    size_t more = wanted < 1 ? 1 : wanted > (double)r->n ? r->n : (size_t)wanted;
    if (more < r->min_keep) more = r->min_keep < r->n ? r->min_keep : r->n;
    for (size_t i = 0; i < r->n; i++)
        c->keys[i] = order_key(r->values[i], candidates_id(c, mass_entry_at(r, i)));
    if (!c->dense) order_sort(c->keys, r->n);
    return (Border){c->keys[more - 1], r->needed + more};
}

static Border find_border(Candidates *c, const float *values, bool by_logit, double mass,
                          size_t min_keep) {
    double all = candidates_sum(c);
    OpenRange r = {.c = c,
                   .values = values,
                   .n = c->count,
                   .by_logit = by_logit,
                   .mass = all,
                   .want = mass * all * (1 - MILLIONTH),
                   .min_keep = min_keep};
    while (r.n > SMALL)
        if (!narrow(&r)) return by_logit ? finish_equal(&r) : mass_finish(&r);
    return mass_finish(&r);
}

/* Of those with the border's value, drop the higher ids. */
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

static void keep_mass_sorted(Candidates *c, double mass, size_t min_keep) {
    double want = mass * candidates_sum(c) * (1 - MILLIONTH);
    size_t n = pick_top_p(c->logits, c->count, c->logits[0], want);
    candidates_keep_best(c, n > min_keep ? n : min_keep);
}

void candidates_keep_mass(Candidates *c, double mass, size_t min_keep) {
    if (c->sorted) {
        keep_mass_sorted(c, mass, min_keep);
        return;
    }
    Border border = find_border(c, c->logits, true, mass, min_keep);
    size_t kept = scan_keep(c->logits, c->dense ? NULL : c->ids, c->count,
                            order_value(border.last), c->survivors, c->survivor_ids);
    if (kept > border.count)
        kept = drop_ties(c->survivors, kept, border, c->survivors, c->survivor_ids);
    finish_survivors(c, kept);
}

/* The surprisal of a token is ln sum - logit. */
void candidates_keep_near(Candidates *c, double surprisal, double mass, size_t min_keep) {
    float center = (float)(candidates_log_sum(c) - surprisal);
    for (size_t i = 0; i < c->count; i++) c->nearness[i] = -fabsf(c->logits[i] - center);
    Border border = find_border(c, c->nearness, false, mass, min_keep);
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
