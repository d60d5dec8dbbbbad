/* kv_pages.h - the private functions of the KV cache, shared by its files. */
#ifndef STRATA_KV_PAGES_H
#define STRATA_KV_PAGES_H

#include "kv.h"

/* Does a layer store keys and values? */
static inline bool kv_has_pages(const KvCache *kv, size_t layer) {
    return kv->shape[layer].kv_heads > 0;
}

/* The page table (table_size) of a layer of a sequence. */
static inline int32_t *kv_table(const KvCache *kv, size_t sequence, size_t layer) {
    return kv->table + (sequence * kv->config.layers + layer) * kv->table_size;
}

/* Its leading entries that a window has released. */
static inline int32_t *kv_gone(const KvCache *kv, size_t sequence, size_t layer) {
    return &kv->gone[sequence * kv->config.layers + layer];
}

/* The first position visible to a token at `position` in a layer. */
size_t kv_first_seen(const KvCache *kv, size_t layer, size_t position);

/* Bytes of one head in a page. */
size_t kv_head_bytes(Dtype dtype, const KvShape *shape);

/* Pages of one layer for `length` positions. */
static inline size_t kv_pages_for(size_t length) { return div_up(length, KV_PAGE); }

/* Is a sequence's next position in a page that is partly filled and shared? */
bool writes_to_shared(const KvCache *kv, size_t sequence, size_t layer);

/* Give the entry a private copy of its page; drop one reference to the old one.  Needs a free
 * page. */
void copy_on_write(PagePool *pool, int32_t *entry);

/* ------------------------------------------------------------------ quantized (kv_blocks.c) */

static inline bool kv_has_blocks(Dtype dtype) {
    return dtype == DTYPE_Q8_0 || dtype == DTYPE_Q4_0;
}

size_t kv_blocks_bytes(Dtype dtype, const KvShape *shape);

/* kv_store, kv_read_key, kv_write_key, kv_scores and kv_mix for these formats. */
void kv_blocks_store(KvCache *kv, size_t layer, size_t sequence, size_t position,
                     const float *k, const float *v);
void kv_blocks_read_key(const KvCache *kv, KvHead at, size_t position, float *key);
void kv_blocks_write_key(KvCache *kv, KvHead at, size_t position, const float *key);
void kv_blocks_scores(const KvCache *kv, KvHead at, KvSpan keys, const KvQuery *query,
                      float *scores, size_t step);
void kv_blocks_mix(const KvCache *kv, KvHead at, KvSpan values, KvRows weights, float *out,
                   size_t step);

/* ------------------------------------------------------------------ states (state.c) */

void state_init(KvCache *kv, Arena *arena);

/* Make room for states up to `length`.  Cannot fail: there is a page for every possible
 * snapshot. */
void state_extend(KvCache *kv, size_t sequence, size_t length);

/* Length of the last snapshot at or before `length`; without recurrent layers `length`. */
size_t state_reach(const KvCache *kv, size_t sequence, size_t length);

/* Drop snapshots after `length`, which is that of a snapshot. */
void state_truncate(KvCache *kv, size_t sequence, size_t length);

void state_fork(KvCache *kv, size_t to, size_t from);

/* A batch begins: keep the current state until it ends. */
void state_begin(KvCache *kv, size_t sequence);

/* Start an empty sequence from a snapshot; get the page of the snapshot of `length`, or -1. */
void state_share(KvCache *kv, size_t sequence, size_t length, int32_t page);
int32_t state_page(const KvCache *kv, size_t sequence, size_t length);

#endif
