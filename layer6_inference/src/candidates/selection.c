/* selection.c - keeping the best candidates, by number or by threshold, without sorting the
 * others.  See candidates.h. */
#include "facts.h"
#include "order.h"
#include "pick.h"

#include <string.h>

enum { MANY = 1024 }; /* above this, radix sort */

static bool ids_ascend(const Candidates *c) {
    for (size_t i = 1; !c->dense && i < c->count; i++)
        if (c->ids[i] < c->ids[i - 1]) return false;
    return true;
}

void candidates_sort(Candidates *c) {
    if (c->sorted) return;
    if (c->count >= MANY && ids_ascend(c)) {
        order_sort_many(c->logits, c->dense ? NULL : c->ids, c->count, c->keys, c->spare_keys,
                        c->survivors, c->survivor_ids);
        candidates_take_survivors(c, c->count, true);
        return;
    }
    for (size_t i = 0; i < c->count; i++)
        c->keys[i] = order_key(c->logits[i], candidates_id(c, i));
    order_sort(c->keys, c->count);
    for (size_t i = 0; i < c->count; i++)
        c->survivors[i] = order_value(c->keys[i]), c->survivor_ids[i] = order_id(c->keys[i]);
    candidates_take_survivors(c, c->count, true);
}

/* Drop logits below the k-th largest segment maximum: k segments have a logit at least as
 * large, so the k best survive.  Most others do not. */
static void drop_low_segments(Candidates *c, size_t k) {
    size_t segments = segments_of(c->count);
    memcpy(c->work[0], c->segment_max, segments * sizeof *c->work[0]);
    float threshold = order_kth_largest(c->work[0], segments, k);
    candidates_take_survivors(
        c, scan_keep(c->logits, NULL, c->count, threshold, c->survivors, c->survivor_ids),
        false);
}

void candidates_keep_best(Candidates *c, size_t k) {
    if (k < 1) k = 1;
    if (k >= c->count) return;
    if (k >= MANY) candidates_sort(c); /* a radix sort is faster than selecting first */
    if (c->sorted) {
        c->count = k;
        c->known = 0;
        return;
    }
    if (c->dense && c->known & KNOW_SEGMENTS && k <= c->count / SCAN_SEGMENT / 2)
        drop_low_segments(c, k);
    float *logits = c->logits;
    const int32_t *ids = c->dense ? NULL : c->ids;
    if (logits == c->survivors) { /* where the result goes */
        logits = memcpy(c->work[0], c->logits, c->count * sizeof *logits);
        ids = memcpy(c->work_ids[0], c->ids, c->count * sizeof *ids);
    }
    pick_top_k(logits, ids, c->count, k, c->survivors, c->survivor_ids, c->keys);
    candidates_take_survivors(c, k, true);
}

void candidates_keep_above(Candidates *c, float threshold, size_t min_keep) {
    if (c->sorted) {
        size_t n = 0;
        while (n < c->count && c->logits[n] >= threshold) n++;
        candidates_keep_best(c, n > min_keep ? n : min_keep);
        return;
    }
    const int32_t *ids = c->dense ? NULL : c->ids;
    size_t kept = 0;
    if (min_keep > 1) /* count only, for now */
        kept = scan_keep(c->logits, ids, c->count, threshold, c->work[0], c->work_ids[0]);
    if (min_keep > 1 ? kept < min_keep : !(candidates_max(c) >= threshold)) {
        candidates_keep_best(c, min_keep);
        return;
    }
    kept = scan_keep(c->logits, ids, c->count, threshold, c->survivors, c->survivor_ids);
    candidates_take_survivors(c, kept, false);
}

void candidates_keep_likely(Candidates *c, double log_p, size_t min_keep) {
    candidates_keep_above(c, candidates_limit(c, log_p), min_keep);
}

void candidates_keep_range(Candidates *c, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        c->survivor_ids[i - begin] = candidates_id(c, i);
        c->survivors[i - begin] = c->logits[i];
    }
    candidates_take_survivors(c, end - begin, c->sorted);
}
