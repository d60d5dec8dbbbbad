/* kv_pages.h - what the files of the memory share: kv.c, kv_store.c, state.c, prefix.c. */
#ifndef STRATA_KV_PAGES_H
#define STRATA_KV_PAGES_H

#include "kv.h"

/* Does a layer keep anything of a position? */
static inline bool kv_has_pages(const KvCache *kv, size_t layer) {
    return kv->shape[layer].kv_heads > 0;
}

/* The table of a layer of a sequence: (table_size). */
static inline int32_t *kv_table(const KvCache *kv, size_t sequence, size_t layer) {
    return kv->table + (sequence * kv->config.layers + layer) * kv->table_size;
}

/* How many of its leading entries were given back. */
static inline int32_t *kv_gone(const KvCache *kv, size_t sequence, size_t layer) {
    return &kv->gone[sequence * kv->config.layers + layer];
}

/* The first position that a token at `position` looks at in a layer. */
size_t kv_first_seen(const KvCache *kv, size_t layer, size_t position);

/* Bytes of one head in a page. */
size_t kv_head_bytes(Dtype dtype, const KvShape *shape);

/* Pages that hold so many positions of one layer. */
static inline size_t kv_pages_for(size_t length) { return (length + KV_PAGE - 1) / KV_PAGE; }

/* Does a sequence's next position go into a page that is partly filled and shared with others? */
bool writes_to_shared(const KvCache *kv, size_t sequence, size_t layer);

/* Give the entry a private copy of its page; drop one reference to the old one.  Needs a free page. */
void copy_on_write(PagePool *pool, int32_t *entry);

/* ------------------------------------------------------------------ numbers that share scales (kv_blocks.c) */

/* Positions of a page: n from `place` on. */
typedef struct KvSpan {
    size_t place, n;
} KvSpan;

bool kv_has_blocks(Dtype dtype);
size_t kv_blocks_bytes(Dtype dtype, const KvShape *shape);

/* kv_store, kv_read_key, kv_write_key, kv_scores and kv_mix of such a format. */
void kv_blocks_store(KvCache *kv, size_t layer, size_t sequence, size_t position,
                     const float *k, const float *v);
void kv_blocks_read_key(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                        size_t position, float *key);
void kv_blocks_write_key(KvCache *kv, size_t layer, size_t sequence, size_t head,
                         size_t position, const float *key);
void kv_blocks_scores(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                      size_t first, size_t n, const KvQuery *query, float *scores, size_t step);
void kv_blocks_mix(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t first,
                   size_t n, KvRows weights, float *out, size_t step);

/* ------------------------------------------------------------------ states (state.c) */

void state_init(KvCache *kv, Arena *arena);

/* Room for the states up to `length`: there is a page for every snapshot that can be. */
void state_extend(KvCache *kv, size_t sequence, size_t length);

/* The last snapshot not after `length`; without recurrent layers, `length`. */
size_t state_reach(const KvCache *kv, size_t sequence, size_t length);

/* Forget those after `length`, which is a snapshot's. */
void state_truncate(KvCache *kv, size_t sequence, size_t length);

void state_fork(KvCache *kv, size_t to, size_t from);

/* A batch begins: the state now stays until it is over. */
void state_begin(KvCache *kv, size_t sequence);

/* A sequence that holds nothing begins with a snapshot; the one of a length, -1: there is none. */
void state_share(KvCache *kv, size_t sequence, size_t length, int32_t page);
int32_t state_page(const KvCache *kv, size_t sequence, size_t length);

#endif
