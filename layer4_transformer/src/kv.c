/* kv.c - tables of pages.  See kv.h; what lies in a page: kv_store.c. */
#include "kv_pages.h"
#include "prefix.h"

#include <string.h>

static size_t pages_for(size_t length) { return (length + KV_PAGE - 1) / KV_PAGE; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The most pages that one sequence can hold at a time. */
static size_t pages_of_sequence(const KvConfig *c) {
    size_t sum = 0, all = pages_for(c->ctx);
    for (size_t l = 0; l < c->layers; l++) {
        size_t seen = pages_for(c->shapes[l].window + KV_REWIND + c->batch) + 1;
        sum += c->shapes[l].window ? smaller(all, seen) : all;
    }
    return sum;
}

static size_t widest_page(const KvConfig *c) {
    size_t most = 0;
    for (size_t l = 0; l < c->layers; l++) {
        size_t numbers = c->shapes[l].kv_heads * kv_head_numbers(&c->shapes[l]);
        if (numbers > most) most = numbers;
    }
    return most;
}

void kv_init(KvCache *kv, const KvConfig *c, Arena *arena) {
    REQUIRE(c->dtype == DTYPE_F32 || c->dtype == DTYPE_F16, "keys and values in %s",
            dtype_name(c->dtype));
    size_t rows = c->sequences * c->layers;
    *kv = (KvCache){.config = *c, .table_size = pages_for(c->ctx)};
    kv->pages = c->budget ? c->budget : c->sequences * pages_of_sequence(c);
    kv->page_numbers = widest_page(c);
    kv->shape = arena_take(arena, c->layers, sizeof *kv->shape);
    kv->numbers = arena_take(arena, kv->pages * kv->page_numbers, dtype_row_bytes(c->dtype, 1));
    kv->table = arena_take(arena, rows * kv->table_size, sizeof *kv->table);
    kv->gone = arena_take(arena, rows, sizeof *kv->gone);
    kv->length = arena_take(arena, c->sequences, sizeof *kv->length);
    kv->free_pages = arena_take(arena, kv->pages, sizeof *kv->free_pages);
    kv->refcount = arena_take(arena, kv->pages, sizeof *kv->refcount);
    prefix_init(kv, arena);
    if (!kv->shape) return; /* measuring */
    memcpy(kv->shape, c->shapes, c->layers * sizeof *kv->shape);
    kv->config.shapes = kv->shape;
    for (size_t i = 0; i < kv->pages; i++)
        kv->free_pages[i] = (int32_t)(kv->pages - 1 - i); /* page 0 on top */
    kv->free_count = kv->pages;
}

static int32_t take_page(KvCache *kv) {
    int32_t page = kv->free_pages[--kv->free_count];
    kv->refcount[page] = 1;
    return page;
}

void kv_release_page(KvCache *kv, int32_t page) {
    if (--kv->refcount[page] == 0) kv->free_pages[kv->free_count++] = page;
}

/* Make at least so many pages free. */
static bool reserve(KvCache *kv, size_t pages) {
    while (kv->free_count < pages)
        if (!prefix_evict(kv)) return false;
    return true;
}

/* Is the page that a sequence's next position lies in begun, and shared? */
static bool writes_to_shared(const KvCache *kv, size_t sequence, size_t layer) {
    size_t length = kv->length[sequence];
    return length % KV_PAGE &&
           kv->refcount[kv_table(kv, sequence, layer)[length / KV_PAGE]] > 1;
}

static void copy_on_write(KvCache *kv, int32_t *entry) {
    int32_t fresh = take_page(kv);
    size_t size = kv->page_numbers * dtype_row_bytes(kv->config.dtype, 1);
    memcpy((char *)kv->numbers + (size_t)fresh * size,
           (char *)kv->numbers + (size_t)*entry * size, size);
    kv_release_page(kv, *entry);
    *entry = fresh;
}

bool kv_extend(KvCache *kv, size_t sequence, size_t length) {
    REQUIRE(sequence < kv->config.sequences, "sequence %zu of %zu", sequence,
            kv->config.sequences);
    size_t have = pages_for(kv->length[sequence]), want = pages_for(length), needed = 0;
    if (length <= kv->length[sequence]) return true;
    for (size_t l = 0; l < kv->config.layers; l++)
        needed += want - have + writes_to_shared(kv, sequence, l);
    if (length > kv->config.ctx || !reserve(kv, needed)) return false;
    for (size_t l = 0; l < kv->config.layers; l++) {
        int32_t *table = kv_table(kv, sequence, l);
        if (writes_to_shared(kv, sequence, l)) copy_on_write(kv, &table[have - 1]);
        for (size_t i = have; i < want; i++) table[i] = take_page(kv);
    }
    kv->length[sequence] = length;
    return true;
}

size_t kv_first_seen(const KvCache *kv, size_t layer, size_t position) {
    size_t window = kv->shape[layer].window;
    return window && position + 1 > window ? position + 1 - window : 0;
}

/* Does every layer still hold what a token at `length` looks at? */
static bool can_go_on(const KvCache *kv, size_t sequence, size_t length) {
    for (size_t l = 0; l < kv->config.layers; l++)
        if ((size_t)*kv_gone(kv, sequence, l) * KV_PAGE > kv_first_seen(kv, l, length))
            return false;
    return true;
}

size_t kv_truncate(KvCache *kv, size_t sequence, size_t length) {
    REQUIRE(sequence < kv->config.sequences, "sequence %zu of %zu", sequence,
            kv->config.sequences);
    if (length >= kv->length[sequence]) return kv->length[sequence];
    if (!can_go_on(kv, sequence, length)) length = 0;
    for (size_t l = 0; l < kv->config.layers; l++) {
        int32_t *gone = kv_gone(kv, sequence, l);
        size_t keep = pages_for(length), have = pages_for(kv->length[sequence]);
        if (keep < (size_t)*gone) keep = (size_t)*gone;
        for (size_t i = have; i > keep; i--)
            kv_release_page(kv, kv_table(kv, sequence, l)[i - 1]);
        if (length == 0) *gone = 0;
    }
    return kv->length[sequence] = length;
}

void kv_fork(KvCache *kv, size_t to, size_t from) {
    if (to == from) return;
    kv_truncate(kv, to, 0);
    for (size_t l = 0; l < kv->config.layers; l++) {
        const int32_t *table = kv_table(kv, from, l);
        size_t gone = (size_t)*kv_gone(kv, from, l);
        *kv_gone(kv, to, l) = (int32_t)gone;
        for (size_t i = gone; i < pages_for(kv->length[from]); i++) {
            kv_table(kv, to, l)[i] = table[i];
            kv->refcount[table[i]]++;
        }
    }
    kv->length[to] = kv->length[from];
}

void kv_slide(KvCache *kv, size_t sequence) {
    size_t length = kv->length[sequence];
    if (length <= KV_REWIND) return;
    for (size_t l = 0; l < kv->config.layers; l++) {
        int32_t *gone = kv_gone(kv, sequence, l);
        size_t seen = kv_first_seen(kv, l, length - KV_REWIND);
        for (; ((size_t)*gone + 1) * KV_PAGE <= seen; ++*gone)
            kv_release_page(kv, kv_table(kv, sequence, l)[*gone]);
    }
}
