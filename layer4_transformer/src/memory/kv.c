/* kv.c - which pages a sequence has; see kv.h.  Shared pages: kv_fork.c; what is in a page:
 * kv_store.c. */
#include "kv_pages.h"
#include "state.h"

#include <string.h>

/* Max pages of one sequence. */
static size_t pages_of_sequence(const KvConfig *c) {
    size_t sum = 0, all = kv_pages_for(c->ctx);
    for (size_t l = 0; l < c->layers; l++) {
        if (!c->shapes[l].kv_heads) continue;
        size_t seen = kv_pages_for(c->shapes[l].window + KV_REWIND + c->batch) + 1;
        sum += c->shapes[l].window ? min_size(all, seen) : all;
    }
    return sum;
}

/* Bytes of a page of the widest layer. */
static size_t widest_page(const KvConfig *c) {
    size_t max = 0;
    for (size_t l = 0; l < c->layers; l++)
        max = max_size(max, c->shapes[l].kv_heads * kv_head_bytes(c->dtype, &c->shapes[l]));
    return max;
}

void kv_init(KvCache *kv, const KvConfig *c, Arena *arena) {
    REQUIRE(c->dtype == DTYPE_F32 || c->dtype == DTYPE_F16 || c->dtype == DTYPE_BF16 ||
                kv_has_blocks(c->dtype),
            "keys and values in %s", dtype_name(c->dtype));
    REQUIRE(!c->hadamard || kv_has_blocks(c->dtype), "%s is not rotated", dtype_name(c->dtype));
    const size_t rows = c->sequences * c->layers;
    const size_t each = pages_of_sequence(c); /* 0: no layer has keys and values */
    const size_t pages = each && c->budget ? c->budget : c->sequences * each;
    *kv = (KvCache){.config = *c, .table_size = kv_pages_for(c->ctx)};
    kv->strips = c->dtype == DTYPE_F16    ? STRIP_F16
                 : c->dtype == DTYPE_BF16 ? STRIP_BF16
                                          : STRIP_F32;
    kv->number_bytes = strip_number_bytes(kv->strips);
    kv->shape = arena_take(arena, c->layers, sizeof *kv->shape);
    page_pool_init(&kv->pages, pages, widest_page(c), arena);
    kv->table = arena_take(arena, rows * kv->table_size, sizeof *kv->table);
    kv->gone = arena_take(arena, rows, sizeof *kv->gone);
    kv->length = arena_take(arena, c->sequences, sizeof *kv->length);
    kv->source = arena_take(arena, c->sequences, sizeof *kv->source);
    state_init(kv, arena);
    if (!kv->shape) return; /* measuring */
    memcpy(kv->shape, c->shapes, c->layers * sizeof *kv->shape);
    kv->config.shapes = kv->shape;
}

size_t kv_pages_needed(const KvCache *kv, size_t sequence, size_t length) {
    size_t have = kv_pages_for(kv->length[sequence]), want = kv_pages_for(length), needed = 0;
    if (length <= kv->length[sequence]) return 0;
    for (size_t l = 0; l < kv->config.layers; l++)
        if (kv_has_pages(kv, l)) needed += want - have + writes_to_shared(kv, sequence, l);
    return needed;
}

bool kv_reserve(KvCache *kv, size_t sequence, size_t length, size_t others) {
    while (kv->pages.free_count < others + kv_pages_needed(kv, sequence, length))
        if (!kv->make_room || !kv->make_room(kv)) return false;
    return true;
}

bool kv_extend(KvCache *kv, size_t sequence, size_t length) {
    REQUIRE(sequence < kv->config.sequences, "sequence %zu of %zu", sequence,
            kv->config.sequences);
    size_t have = kv_pages_for(kv->length[sequence]), want = kv_pages_for(length);
    if (length <= kv->length[sequence]) return true;
    if (length > kv->config.ctx) return false;
    /* most tokens still fit into the last page */
    const bool more = kv_pages_needed(kv, sequence, length) > 0;
    if (more && !kv_reserve(kv, sequence, length, 0)) return false;
    for (size_t l = 0; more && l < kv->config.layers; l++) {
        int32_t *table = kv_table(kv, sequence, l);
        if (!kv_has_pages(kv, l)) continue;
        if (writes_to_shared(kv, sequence, l)) copy_on_write(&kv->pages, &table[have - 1]);
        for (size_t i = have; i < want; i++) table[i] = page_take(&kv->pages);
    }
    state_extend(kv, sequence, length);
    kv->length[sequence] = length;
    return true;
}

size_t kv_first_seen(const KvCache *kv, size_t layer, size_t position) {
    size_t window = kv->shape[layer].window;
    return window && position + 1 > window ? position + 1 - window : 0;
}

/* Does every layer still hold what a token at `length` sees? */
static bool can_go_on(const KvCache *kv, size_t sequence, size_t length) {
    for (size_t l = 0; l < kv->config.layers; l++)
        if ((size_t)*kv_gone(kv, sequence, l) * KV_PAGE > kv_first_seen(kv, l, length))
            return false;
    return true;
}

size_t kv_reach(const KvCache *kv, size_t sequence, size_t length) {
    REQUIRE(sequence < kv->config.sequences, "sequence %zu of %zu", sequence,
            kv->config.sequences);
    if (length >= kv->length[sequence]) return kv->length[sequence];
    if (length < kv->source[sequence]) return 0; /* a source is never cut */
    length = state_reach(kv, sequence, length);
    return can_go_on(kv, sequence, length) ? length : 0;
}

size_t kv_truncate(KvCache *kv, size_t sequence, size_t length) {
    length = kv_reach(kv, sequence, length);
    if (length == kv->length[sequence]) return length;
    for (size_t l = 0; l < kv->config.layers; l++) {
        int32_t *gone = kv_gone(kv, sequence, l);
        size_t keep = kv_pages_for(length), have = kv_pages_for(kv->length[sequence]);
        if (!kv_has_pages(kv, l)) continue;
        if (keep < (size_t)*gone) keep = (size_t)*gone;
        for (size_t i = have; i > keep; i--)
            page_release(&kv->pages, kv_table(kv, sequence, l)[i - 1]);
        if (length == 0) *gone = 0;
    }
    state_truncate(kv, sequence, length);
    if (length == 0) kv->source[sequence] = 0;
    return kv->length[sequence] = length;
}

void kv_slide(KvCache *kv, size_t sequence) {
    size_t length = kv->length[sequence];
    if (kv->snapshots) state_begin(kv, sequence);
    if (length <= KV_REWIND) return;
    for (size_t l = 0; l < kv->config.layers; l++) {
        int32_t *gone = kv_gone(kv, sequence, l);
        size_t seen = kv_has_pages(kv, l) ? kv_first_seen(kv, l, length - KV_REWIND) : 0;
        for (; ((size_t)*gone + 1) * KV_PAGE <= seen; ++*gone)
            page_release(&kv->pages, kv_table(kv, sequence, l)[*gone]);
    }
}
