/* state.c - see state.h. */
#include "state.h"
#include "kv_pages.h"

#include <string.h>

/* The current state, the one before the batch, `rewind` marks, and borders. */
static size_t snapshots_of_sequence(const KvConfig *c) {
    size_t borders = KV_REWIND / KV_PAGE + 1;
    if (c->prefixes) borders += c->batch / KV_PAGE + 1;
    return 2 + c->rewind + borders;
}

void state_init(KvCache *kv, Arena *arena) {
    const KvConfig *c = &kv->config;
    size_t numbers = 0;
    kv->state_at = arena_take(arena, c->layers, sizeof *kv->state_at);
    for (size_t l = 0; l < c->layers; l++) {
        if (kv->state_at) kv->state_at[l] = numbers;
        numbers += c->shapes[l].state;
    }
    kv->snapshots = numbers ? snapshots_of_sequence(c) : 0;
    size_t all = c->sequences * kv->snapshots, pages = numbers ? all + c->prefixes : 0;
    page_pool_init(&kv->states, pages, numbers * sizeof(float), arena);
    kv->states_of = arena_take(arena, c->sequences, sizeof *kv->states_of);
    Snapshot *lists = arena_take(arena, all, sizeof *lists);
    if (!lists) return; /* measuring, or no states */
    for (size_t s = 0; s < c->sequences; s++)
        kv->states_of[s] = (Snapshots){.list = lists + s * kv->snapshots};
}

/* The first snapshot at or after `length`. */
static const Snapshot *first_from(const KvCache *kv, size_t sequence, size_t length) {
    const Snapshots *s = &kv->states_of[sequence];
    size_t i = 0;
    while (i < s->count && s->list[i].length < length) i++;
    return i < s->count ? &s->list[i] : NULL;
}

float *kv_state(const KvCache *kv, size_t layer, size_t sequence, size_t length) {
    const Snapshot *at = first_from(kv, sequence, length);
    if (length == 0) return NULL;
    REQUIRE(at && length >= kv->states_of[sequence].base, "the state after %zu tokens", length);
    return (float *)page_bytes(&kv->states, at->page) + kv->state_at[layer];
}

StateStep state_step(const KvCache *kv, size_t layer, const Batch *batch, size_t row,
                     size_t first, size_t count) {
    size_t sequence = (size_t)batch->sequence[row], position = (size_t)batch->position[row];
    const float *before = kv_state(kv, layer, sequence, position);
    float *after = kv_state(kv, layer, sequence, position + 1) + first;
    if (!before) memset(after, 0, count * sizeof *after);
    return (StateStep){before ? before + first : after, after};
}

/* ------------------------------------------------------------------ snapshots to keep */

static bool is_border(size_t length) { return length % KV_PAGE == 0; }

/* Is a snapshot of `length` kept when the sequence has `now` tokens? */
static bool state_is_wanted(const KvCache *kv, const Snapshots *s, size_t length, size_t now) {
    if (length == s->base || length + kv->config.rewind >= now) return true;
    if (!is_border(length)) return false;
    return length + KV_REWIND + KV_PAGE > now || (kv->config.prefixes && length > s->base);
}

static void drop_unwanted(KvCache *kv, Snapshots *s, size_t now) {
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (state_is_wanted(kv, s, s->list[i].length, now))
            s->list[n++] = s->list[i];
        else
            page_release(&kv->states, s->list[i].page);
    }
    s->count = n;
}

/* Move the current state to `length`, or leave it as a snapshot and start another page. */
static void advance(KvCache *kv, Snapshots *s, size_t length) {
    Snapshot *last = s->list + s->count - 1;
    if (s->count && !s->kept && !is_border(last->length)) {
        last->length = length;
        drop_unwanted(kv, s, length);
        return;
    }
    drop_unwanted(kv, s, length);
    REQUIRE(s->count < kv->snapshots, "%zu snapshots of a sequence", s->count);
    s->list[s->count++] = (Snapshot){length, page_take(&kv->states)};
    s->kept = false;
}

void state_extend(KvCache *kv, size_t sequence, size_t length) {
    size_t now = kv->length[sequence];
    while (kv->snapshots && now < length) {
        now = min_size((now / KV_PAGE + 1) * KV_PAGE, length);
        advance(kv, &kv->states_of[sequence], now);
    }
}

void state_keep(KvCache *kv, size_t sequence) { kv->states_of[sequence].kept = true; }

void state_begin(KvCache *kv, size_t sequence) {
    Snapshots *s = &kv->states_of[sequence];
    s->base = kv->length[sequence], s->kept = true;
    drop_unwanted(kv, s, s->base);
}

/* ------------------------------------------------------------------ rollback, fork, share */

size_t state_reach(const KvCache *kv, size_t sequence, size_t length) {
    const Snapshots *s = &kv->states_of[sequence];
    size_t reach = 0;
    if (!kv->snapshots) return length;
    for (size_t i = 0; i < s->count && s->list[i].length <= length; i++)
        reach = s->list[i].length;
    return reach;
}

void state_truncate(KvCache *kv, size_t sequence, size_t length) {
    Snapshots *s = &kv->states_of[sequence];
    while (s->count && s->list[s->count - 1].length > length)
        page_release(&kv->states, s->list[--s->count].page);
    if (s->base > length) s->base = length;
}

void state_fork(KvCache *kv, size_t to, size_t from) {
    Snapshots *a = &kv->states_of[to];
    const Snapshots *b = &kv->states_of[from];
    if (!kv->snapshots) return;
    memcpy(a->list, b->list, b->count * sizeof *b->list);
    a->count = b->count, a->base = kv->length[from];
    for (size_t i = 0; i < a->count; i++) page_share(&kv->states, a->list[i].page);
}

void state_share(KvCache *kv, size_t sequence, size_t length, int32_t page) {
    Snapshots *s = &kv->states_of[sequence];
    page_share(&kv->states, page);
    s->list[0] = (Snapshot){length, page};
    s->count = 1, s->base = length;
}

int32_t state_page(const KvCache *kv, size_t sequence, size_t length) {
    const Snapshot *at = kv->snapshots ? first_from(kv, sequence, length) : NULL;
    return at && at->length == length ? at->page : -1;
}
