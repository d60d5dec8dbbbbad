/* selection.c - keeping the best candidates, by number, by threshold and by mass, without
 * sorting those that go.  See candidates.h. */
#include "facts.h"
#include "order.h"

#include <math.h>
#include <string.h>

enum { SMALL = 128 }; /* so few are sorted rather than divided further */

/* The survivors become the candidates. */
static void take_survivors(Candidates *c, size_t count, bool sorted) {
    c->logits = c->survivors, c->ids = c->survivor_ids;
    c->count = count;
    c->dense = false, c->sorted = sorted;
    c->known = 0;
}

static void take_keys(Candidates *c, size_t count) {
    for (size_t i = 0; i < count; i++) {
        c->survivors[i] = order_value(c->keys[i]);
        c->survivor_ids[i] = order_id(c->keys[i]);
    }
    take_survivors(c, count, true);
}

static void make_keys(Candidates *c) {
    for (size_t i = 0; i < c->count; i++)
        c->keys[i] = order_key(c->logits[i], candidates_id(c, i));
}

void candidates_sort(Candidates *c) {
    if (c->sorted) return;
    make_keys(c);
    order_sort(c->keys, c->count);
    take_keys(c, c->count);
}

/* The k-th largest block maximum: k blocks have a logit at least as large, so the k best
 * logits are, too.  Most blocks have none. */
static void drop_hopeless(Candidates *c, size_t k) {
    size_t blocks = blocks_of(c->count);
    memcpy(c->work[0], c->block_max, blocks * sizeof *c->work[0]);
    float threshold = order_kth_largest(c->work[0], blocks, k);
    take_survivors(
        c, scan_keep(c->logits, NULL, c->count, threshold, c->survivors, c->survivor_ids),
        false);
}

void candidates_keep_best(Candidates *c, size_t k) {
    if (k < 1) k = 1;
    if (k >= c->count) return;
    if (c->sorted) {
        c->count = k;
        c->known = 0;
        return;
    }
    if (c->dense && c->known & KNOW_BLOCKS && k <= c->count / SCAN_BLOCK / 2)
        drop_hopeless(c, k);
    make_keys(c);
    order_select(c->keys, c->count, k);
    order_sort(c->keys, k);
    take_keys(c, k);
}

void candidates_keep_above(Candidates *c, float threshold, size_t least) {
    if (c->sorted) {
        size_t n = 0;
        while (n < c->count && c->logits[n] >= threshold) n++;
        candidates_keep_best(c, n > least ? n : least);
        return;
    }
    const int32_t *ids = c->dense ? NULL : c->ids;
    size_t kept = 0;
    if (least > 1) /* only counted so far */
        kept = scan_keep(c->logits, ids, c->count, threshold, c->work[0], c->work_ids[0]);
    if (least > 1 ? kept < least : !(candidates_max(c) >= threshold)) {
        candidates_keep_best(c, least);
        return;
    }
    kept = scan_keep(c->logits, ids, c->count, threshold, c->survivors, c->survivor_ids);
    take_survivors(c, kept, false);
}

/* ------------------------------------------------------------------ by mass
 *
 * How many of the best are needed for a mass?  Divide like quickselect: those above a pivot
 * either suffice, then the border lies among them, or they are all needed, and it lies among
 * the rest.  No side is sorted until few are left.
 *
 *     best ........................................ worst
 *     |--- needed: mass so far ---|--- open ---|--- not needed ---|
 */
typedef struct Open {
    Candidates *c;
    const float *values;    /* what the order goes by */
    const int32_t *entries; /* NULL: 0, 1, 2, ... */
    size_t n;
    bool by_logit; /* the values are the logits themselves */
    double mass;   /* in units of exp(max) */
    size_t needed;
    int next; /* which working memory is free */
} Open;

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

/* Divide the open range at a pivot.  False when all of it is above. */
static bool divide(Open *o, float pivot, double want, size_t least) {
    float *above = o->c->work[o->next];
    int32_t *entries = o->c->work_ids[o->next];
    size_t n = scan_keep(o->values, o->entries, o->n, pivot, above, entries);
    if (n == o->n) return false;
    double mass = mass_of(o, above, entries, n);
    if (o->mass + mass >= want && o->needed + n >= least) {
        o->values = above, o->entries = entries, o->n = n;
        o->next ^= 1;
    } else {
        o->mass += mass, o->needed += n;
        size_t rest = scan_below(o->values, o->entries, o->n, pivot, above, entries);
        o->values = above, o->entries = entries, o->n = rest;
        o->next ^= 1;
    }
    return true;
}

/* The middle of nine values spread over the range. */
static float guess_pivot(const Open *o) {
    float sample[9];
    for (size_t i = 0; i < 9; i++) sample[i] = o->values[(o->n - 1) * i / 8];
    return order_kth_largest(sample, 9, 5);
}

/* Sort what is open and go through it; returns the key of the last one needed. */
static uint64_t finish(const Open *o, double want, size_t least) {
    Candidates *c = o->c;
    for (size_t i = 0; i < o->n; i++)
        c->keys[i] = order_key(o->values[i], candidates_id(c, entry_at(o, i)));
    order_sort(c->keys, o->n);
    double mass = o->mass, max = (double)candidates_max(c);
    size_t i = 0;
    for (;; i++) {
        double logit = o->by_logit
                           ? (double)order_value(c->keys[i])
                           : (double)c->logits[candidates_find(c, order_id(c->keys[i]))];
        if (logit == -INFINITY && i && o->needed + i >= least) return c->keys[i - 1];
        mass += exp(logit - max);
        if ((mass >= want && o->needed + i + 1 >= least) || i + 1 == o->n) return c->keys[i];
    }
}

/* All that are open have the same logit: so many of the lowest ids. */
static uint64_t finish_equal(const Open *o, double want, size_t least) {
    Candidates *c = o->c;
    double each = mass_of(o, o->values, o->entries, o->n) / (double)o->n;
    double wanted = each > 0 ? ceil((want - o->mass) / each) : (double)o->n;
    size_t more = wanted < 1 ? 1 : wanted > (double)o->n ? o->n : (size_t)wanted;
    if (o->needed + more < least) more = least - o->needed < o->n ? least - o->needed : o->n;
    for (size_t i = 0; i < o->n; i++)
        c->keys[i] = order_key(o->values[i], candidates_id(c, entry_at(o, i)));
    if (!c->dense) order_sort(c->keys, o->n);
    return c->keys[more - 1];
}

/* The key of the worst candidate that is kept. */
static uint64_t border(Candidates *c, const float *values, bool by_logit, double want,
                       size_t least) {
    Open o = {.c = c, .values = values, .n = c->count, .by_logit = by_logit};
    bool peaked = candidates_collision(c) * (double)c->count > 8;
    if (by_logit && peaked) divide(&o, candidates_max(c) - 8, want, least);
    while (o.n > SMALL) {
        float pivot = guess_pivot(&o);
        if (divide(&o, pivot, want, least)) continue;
        /* the pivot is the smallest value: divide just above it */
        float *all = c->work[o.next];
        size_t n = scan_keep(o.values, o.entries, o.n, nextafterf(pivot, INFINITY), all,
                             c->work_ids[o.next]);
        if (n == 0) return by_logit ? finish_equal(&o, want, least) : finish(&o, want, least);
        divide(&o, nextafterf(pivot, INFINITY), want, least);
    }
    return finish(&o, want, least);
}

/* Keep what is not behind the border; `values` as above. */
static void keep_to_border(Candidates *c, const float *values, uint64_t last) {
    float threshold = order_value(last);
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (!(values[i] >= threshold)) continue;
        int32_t id = candidates_id(c, i);
        if (values[i] == threshold && id > order_id(last)) continue;
        c->survivors[kept] = c->logits[i], c->survivor_ids[kept++] = id;
    }
    take_survivors(c, kept, false);
    if (kept <= 2 * SMALL) candidates_sort(c);
}

static void keep_mass_sorted(Candidates *c, double want, size_t least) {
    double max = (double)c->logits[0], mass = 0;
    size_t n = 0;
    while (n < c->count && (n < least || mass < want))
        mass += exp((double)c->logits[n++] - max);
    candidates_keep_best(c, n ? n : 1);
}

void candidates_keep_mass(Candidates *c, double mass, size_t least) {
    double want = mass * exp(candidates_log_sum(c) - (double)candidates_max(c));
    if (c->sorted) {
        keep_mass_sorted(c, want, least);
        return;
    }
    uint64_t last = border(c, c->logits, true, want, least);
    float threshold = order_value(last);
    size_t kept = scan_keep(c->logits, c->dense ? NULL : c->ids, c->count, threshold,
                            c->survivors, c->survivor_ids);
    take_survivors(c, kept, false);
    keep_to_border(c, c->survivors, last);
}

void candidates_keep_near(Candidates *c, double center, double mass, size_t least) {
    double want = mass * exp(candidates_log_sum(c) - (double)candidates_max(c));
    for (size_t i = 0; i < c->count; i++) c->nearness[i] = -fabsf(c->logits[i] - (float)center);
    keep_to_border(c, c->nearness, border(c, c->nearness, false, want, least));
}

void candidates_keep_range(Candidates *c, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        c->survivor_ids[i - begin] = candidates_id(c, i);
        c->survivors[i - begin] = c->logits[i];
    }
    take_survivors(c, end - begin, c->sorted);
}
