/* candidates.c - see candidates.h. */
#include "facts.h"
#include "pick.h"

#include <math.h>
#include <string.h>

void candidates_init(Candidates *c, size_t vocab, Arena *arena) {
    *c = (Candidates){.vocab = vocab, .chosen = -1, .given = -1, .dense = true};
    c->segment_max = arena_take(arena, segments_of(vocab), sizeof *c->segment_max);
    c->survivors = arena_take(arena, vocab, sizeof *c->survivors);
    c->survivor_ids = arena_take(arena, vocab, sizeof *c->survivor_ids);
    c->nearness = arena_take(arena, vocab, sizeof *c->nearness);
    for (int i = 0; i < 2; i++) {
        c->work[i] = arena_take(arena, vocab, sizeof *c->work[i]);
        c->work_ids[i] = arena_take(arena, vocab, sizeof *c->work_ids[i]);
    }
    c->keys = arena_take(arena, vocab, sizeof *c->keys);
    c->spare_keys = arena_take(arena, vocab, sizeof *c->spare_keys);
    c->marks = arena_take(arena, vocab, sizeof *c->marks);
    c->entry_of = arena_take(arena, vocab, sizeof *c->entry_of);
    if (c->marks) memset(c->marks, 0, vocab * sizeof *c->marks);
    if (c->entry_of) memset(c->entry_of, 0, vocab * sizeof *c->entry_of);
}

bool candidates_open(Candidates *c, size_t vocab, Arena *arena, Fault *fault) {
    arena_measure(arena);
    candidates_init(c, vocab, arena);
    if (!arena_init(arena, arena->used, fault)) return false;
    candidates_init(c, vocab, arena);
    return true;
}

static bool not_a_number(const float *logits, Fault *fault) {
    size_t token = 0;
    while (!isnan(logits[token])) token++;
    return fault_set(fault,
                     "bad numbers: the logit of token %zu is not a number; the model or its "
                     "file is damaged",
                     token);
}

bool candidates_load(Candidates *c, float *logits, Fault *fault) {
    c->logits = logits, c->ids = NULL, c->count = c->vocab;
    c->dense = true, c->sorted = false;
    c->chosen = c->given = -1, c->skew = 0;
    scan_segment_max(logits, c->count, c->segment_max);
    c->max = vector_max(c->segment_max, segments_of(c->count));
    c->known = KNOW_MAX | KNOW_SEGMENTS;
    if (isnan(c->max)) return not_a_number(logits, fault);
    if (c->max == -INFINITY)
        return fault_set(fault, "dead end: every token has the logit -infinity");
    if (c->max == INFINITY) {
        for (size_t i = 0; i < c->count; i++) logits[i] = logits[i] == INFINITY ? 0 : -INFINITY;
        candidates_changed(c);
        candidates_keep_above(c, 0, 1);
    }
    return true;
}

/* entry_of is never cleared: entries of removed tokens point to other tokens, so check. */
size_t candidates_find(Candidates *c, int32_t token) {
    if (token < 0 || (size_t)token >= c->vocab) return c->count;
    if (c->dense) return (size_t)token;
    for (size_t i = 0; !(c->known & KNOW_PLACES) && i < c->count; i++)
        c->entry_of[c->ids[i]] = (int32_t)i;
    c->known |= KNOW_PLACES;
    size_t entry = (size_t)c->entry_of[token];
    return entry < c->count && c->ids[entry] == token ? entry : c->count;
}

void candidates_changed(Candidates *c) { c->known &= KNOW_PLACES, c->sorted = false; }

static bool in_order(const Candidates *c) {
    size_t i = 1;
    while (i < c->count && (c->logits[i - 1] > c->logits[i] ||
                            (c->logits[i - 1] == c->logits[i] && c->ids[i - 1] < c->ids[i])))
        i++;
    return i >= c->count;
}

void candidates_kept_order(Candidates *c) {
    bool sorted = c->sorted;
    candidates_changed(c);
    c->sorted = sorted && in_order(c);
}

void candidates_set(Candidates *c, size_t entry, float logit) {
    float before = c->logits[entry];
    if (logit == before) return;
    bool segments = c->dense && c->known & KNOW_SEGMENTS;
    size_t segment = entry / SCAN_SEGMENT * SCAN_SEGMENT;
    c->logits[entry] = logit;
    c->sorted = false;
    c->known &= ~(unsigned)KNOW_SUMS;
    if (segments) {
        size_t size = c->count - segment < SCAN_SEGMENT ? c->count - segment : SCAN_SEGMENT;
        scan_segment_max(c->logits + segment, size, &c->segment_max[segment / SCAN_SEGMENT]);
    }
    if (logit > c->max || isnan(logit))
        c->max = logit; /* the maximum stays known */
    else if (before == c->max)
        c->known &= ~(unsigned)KNOW_MAX;
}

void candidates_scale(Candidates *c, float factor) {
    unsigned kept = c->known & (KNOW_MAX | KNOW_SEGMENTS | KNOW_PLACES);
    float *logits = c->logits;
    size_t i = 0, n = c->count;
    for (; i + 16 <= n; i += 16) /* fixed blocks, so that the compiler uses vector lanes */
        for (size_t k = i; k < i + 16; k++) logits[k] *= factor;
    for (; i < n; i++) logits[i] *= factor;
    if (kept & KNOW_SEGMENTS)
        for (size_t b = 0; b < segments_of(c->count); b++) c->segment_max[b] *= factor;
    c->max *= factor;
    c->known = kept;
    c->sorted = c->sorted && in_order(c);
}
