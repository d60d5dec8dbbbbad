/* kv_pages.h - what the files of the memory share: kv.c, kv_store.c, prefix.c. */
#ifndef STRATA_KV_PAGES_H
#define STRATA_KV_PAGES_H

#include "kv.h"

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

/* Numbers of one head in a page: keys, then values in whole strips. */
size_t kv_head_numbers(const KvShape *shape);

/* One user less. */
void kv_release_page(KvCache *kv, int32_t page);

void prefix_init(KvCache *kv, Arena *arena);

#endif
