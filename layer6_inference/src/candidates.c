/* candidates.c - see candidates.h. */
#include "candidates.h"

#include <math.h>
#include <string.h>

void candidates_init(Candidates *c, size_t vocab, Arena *arena) {
    *c = (Candidates){.capacity = vocab, .chosen = -1, .dense = true};
    c->logits = arena_take(arena, vocab, sizeof *c->logits);
    c->ids = arena_take(arena, vocab, sizeof *c->ids);
    c->kept = arena_take(arena, vocab, sizeof *c->kept);
    c->kept_ids = arena_take(arena, vocab, sizeof *c->kept_ids);
}

bool candidates_load(Candidates *c, const float *logits, Fault *fault) {
    float max = vector_max(logits, c->capacity);
    if (isnan(max)) {
        size_t token = 0;
        while (!isnan(logits[token])) token++;
        return fault_set(
            fault, "the logit of token %zu is not a number: the model or its file is damaged",
            token);
    }
    if (max == -INFINITY)
        return fault_set(fault, "dead end: every token has the logit -infinity");
    memcpy(c->logits, logits, c->capacity * sizeof *logits);
    c->count = c->capacity;
    c->dense = true, c->sorted = false;
    c->chosen = -1;
    return true;
}

int32_t candidates_id(const Candidates *c, size_t i) {
    return c->dense ? (int32_t)i : c->ids[i];
}

/* Does entry (logit, id) stand before another in sorted order? */
static bool before(float logit, int32_t id, float other_logit, int32_t other_id) {
    return logit > other_logit || (logit == other_logit && id < other_id);
}

size_t candidates_best(const Candidates *c) {
    if (c->sorted) return 0;
    size_t best = 0;
    for (size_t i = 1; i < c->count; i++)
        if (before(c->logits[i], candidates_id(c, i), c->logits[best], candidates_id(c, best)))
            best = i;
    return best;
}

double candidates_log_sum(const Candidates *c) { return log_sum_exp(c->logits, c->count); }

/* Move entry i of a heap of n down to its place; the heap's top is the entry that stands
 * last. */
static void sift(float *logits, int32_t *ids, size_t n, size_t i) {
    float logit = logits[i];
    int32_t id = ids[i];
    for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n &&
            before(logits[child], ids[child], logits[child + 1], ids[child + 1]))
            child++;
        if (!before(logit, id, logits[child], ids[child])) break;
        logits[i] = logits[child], ids[i] = ids[child];
        i = child;
    }
    logits[i] = logit, ids[i] = id;
}

/* The k best of all, sorted, into kept: a heap of k with the worst on top; most entries lose
 * against it at once. */
static void select_best(Candidates *c, size_t k) {
    float *logits = c->kept;
    int32_t *ids = c->kept_ids;
    for (size_t i = 0; i < k; i++) logits[i] = c->logits[i], ids[i] = candidates_id(c, i);
    for (size_t i = k / 2; i-- > 0;) sift(logits, ids, k, i);
    for (size_t i = k; i < c->count; i++) {
        if (!before(c->logits[i], candidates_id(c, i), logits[0], ids[0])) continue;
        logits[0] = c->logits[i], ids[0] = candidates_id(c, i);
        sift(logits, ids, k, 0);
    }
    for (size_t n = k; n > 1; n--) { /* heap sort: the worst goes to the end */
        float logit = logits[n - 1];
        int32_t id = ids[n - 1];
        logits[n - 1] = logits[0], ids[n - 1] = ids[0];
        logits[0] = logit, ids[0] = id;
        sift(logits, ids, n - 1, 0);
    }
}

static void take_kept(Candidates *c, size_t count) {
    memcpy(c->logits, c->kept, count * sizeof *c->logits);
    memcpy(c->ids, c->kept_ids, count * sizeof *c->ids);
    c->count = count;
    c->dense = false, c->sorted = true;
}

void candidates_keep_best(Candidates *c, size_t k) {
    if (k < 1) k = 1;
    if (c->sorted) {
        c->count = k < c->count ? k : c->count;
        return;
    }
    if (k > c->count) k = c->count;
    select_best(c, k);
    take_kept(c, k);
}

void candidates_keep_above(Candidates *c, float threshold, size_t least) {
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) kept += c->logits[i] >= threshold;
    if (kept < least || kept == 0) {
        candidates_keep_best(c, least);
        return;
    }
    for (size_t i = 0, to = 0; i < c->count; i++) {
        if (!(c->logits[i] >= threshold)) continue;
        c->ids[to] = candidates_id(c, i);
        c->logits[to++] = c->logits[i];
    }
    c->count = kept;
    c->dense = false;
}

/* Most of the mass sits on few tokens, so the best 64 are tried first, then eight times as
 * many, ... */
void candidates_keep_mass(Candidates *c, double mass, size_t least) {
    double total = candidates_log_sum(c);
    for (size_t k = 64;; k *= 8) {
        double sum = 0;
        size_t n = 0, tried = k < c->count ? k : c->count;
        if (tried < least) continue;
        if (!c->sorted) select_best(c, tried);
        const float *logits = c->sorted ? c->logits : c->kept;
        while (n < tried && (sum < mass || n < least)) sum += exp((double)logits[n++] - total);
        if (n == tried && sum < mass && tried < c->count) continue;
        if (c->sorted)
            c->count = n ? n : 1;
        else
            take_kept(c, n ? n : 1);
        return;
    }
}
