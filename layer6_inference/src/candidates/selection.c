/* selection.c - keeping the best candidates, by number and by threshold, without sorting those that
 * go.  See candidates.h. */
#include "facts.h"
#include "order.h"

#include <string.h>

enum { MANY = 2048 }; /* more are sorted by digits */

void candidates_take_survivors(Candidates *c, size_t count, bool sorted) {
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
    candidates_take_survivors(c, count, true);
}

static void make_keys(Candidates *c) {
    for (size_t i = 0; i < c->count; i++)
        c->keys[i] = order_key(c->logits[i], candidates_id(c, i));
}

static bool ids_ascend(const Candidates *c) {
    for (size_t i = 1; !c->dense && i < c->count; i++)
        if (c->ids[i] < c->ids[i - 1]) return false;
    return true;
}

void candidates_sort(Candidates *c) {
    if (c->sorted) return;
    make_keys(c);
    if (c->count >= MANY && ids_ascend(c))
        order_sort_many(c->keys, c->keys_aside, c->count);
    else
        order_sort(c->keys, c->count);
    take_keys(c, c->count);
}

/* The k-th largest block maximum: k blocks have a logit at least as large, so the k best
 * logits are, too.  Most blocks have none. */
static void drop_hopeless(Candidates *c, size_t k) {
    size_t blocks = blocks_of(c->count);
    memcpy(c->work[0], c->block_max, blocks * sizeof *c->work[0]);
    float threshold = order_kth_largest(c->work[0], blocks, k);
    candidates_take_survivors(
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
    if (c->dense && c->known & KNOW_BLOCKS && k <= c->count / SCAN_SEGMENT / 2)
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
    candidates_take_survivors(c, kept, false);
}

void candidates_keep_likely(Candidates *c, double log_p, size_t least) {
    candidates_keep_above(c, candidates_limit(c, log_p), least);
}

void candidates_keep_range(Candidates *c, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        c->survivor_ids[i - begin] = candidates_id(c, i);
        c->survivors[i - begin] = c->logits[i];
    }
    candidates_take_survivors(c, end - begin, c->sorted);
}
