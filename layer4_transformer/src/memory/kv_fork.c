/* kv_fork.c - forks share pages until one of them writes (copy on write).  See kv.h. */
#include "kv_pages.h"

#include <string.h>

bool writes_to_shared(const KvCache *kv, size_t sequence, size_t layer) {
    size_t length = kv->length[sequence];
    return length % KV_PAGE &&
           kv->pages.refcount[kv_table(kv, sequence, layer)[length / KV_PAGE]] > 1;
}

void copy_on_write(PagePool *pool, int32_t *entry) {
    int32_t fresh = page_take(pool);
    memcpy(page_bytes(pool, fresh), page_bytes(pool, *entry), pool->page_bytes);
    if (pool->copied) pool->copied(pool, *entry, fresh);
    page_release(pool, *entry);
    *entry = fresh;
}

void kv_fork(KvCache *kv, size_t to, size_t from) {
    if (to == from) return;
    kv_truncate(kv, to, 0);
    for (size_t l = 0; l < kv->config.layers; l++) {
        const int32_t *table = kv_table(kv, from, l);
        size_t gone = (size_t)*kv_gone(kv, from, l);
        if (!kv_has_pages(kv, l)) continue;
        *kv_gone(kv, to, l) = (int32_t)gone;
        for (size_t i = gone; i < kv_pages_for(kv->length[from]); i++)
            page_share(&kv->pages, kv_table(kv, to, l)[i] = table[i]);
    }
    state_fork(kv, to, from);
    kv->length[to] = kv->length[from], kv->source[to] = kv->source[from];
}
