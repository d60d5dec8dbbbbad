/* kv_fault.h - is a memory of keys and values sound?
 *
 * Every page has as many users as it says, is free exactly when it has none, and is on the free list once then; kept
 * prefixes are found by their hash, in chains that end, and the free ones are the rest. */
#ifndef STRATA_KV_FAULT_H
#define STRATA_KV_FAULT_H

#include "transformer.h"

#include <stdlib.h>

static inline const char *kv_pool_fault(const PagePool *pool, const int32_t *users) {
    size_t n_free = 0;
    for (size_t p = 0; p < pool->count; p++) {
        if (pool->refcount[p] != users[p]) return "a page has other users than it says";
        n_free += users[p] == 0;
    }
    if (pool->free_count != n_free) return "other pages are free than those without users";
    for (size_t i = 0; i < pool->free_count; i++)
        if (users[pool->free_list[i]]) return "a page with users is on the free list";
    return NULL;
}

static inline void kv_count_sequence(const KvCache *kv, size_t s, int32_t *users,
                                     int32_t *state_users) {
    const Snapshots *states = &kv->states_of[s];
    for (size_t i = 0; i < states->count; i++) state_users[states->list[i].page]++;
    for (size_t l = 0; l < kv->config.layers; l++) {
        size_t row = s * kv->config.layers + l, end = (kv->length[s] + KV_PAGE - 1) / KV_PAGE;
        for (size_t i = (size_t)kv->gone[row]; kv->shape[l].kv_heads && i < end; i++)
            users[kv->table[row * kv->table_size + i]]++;
    }
}

static inline const char *kv_count_prefixes(const KvCache *kv, int32_t *users,
                                            int32_t *state_users) {
    size_t kept = 0, left = 0, found = 0, children = 0, parents = 0, n = kv->config.prefixes;
    for (size_t i = 0; i < n; i++) {
        const Prefix *p = &kv->prefix[i];
        if (!p->kept) continue;
        kept++, children += (size_t)p->children, parents += p->parent >= 0;
        if (p->parent >= 0 && !kv->prefix[p->parent].kept)
            return "a prefix has lost its parent";
        if (p->state >= 0) state_users[p->state]++;
        for (size_t l = 0; l < kv->config.layers; l++)
            if (p->page[l] >= 0) users[p->page[l]]++;
    }
    for (int32_t i = kv->free_prefix; i >= 0 && left <= n; i = kv->prefix[i].next) left++;
    for (size_t b = 0; b < n; b++)
        for (int32_t i = kv->bucket[b]; i >= 0 && found <= n; i = kv->prefix[i].next) {
            if (!kv->prefix[i].kept || kv->prefix[i].hash % n != b) return "a wrong bucket";
            found++;
        }
    if (kept != kv->n_prefixes || kept + left != n || found != kept || children != parents)
        return "kept prefixes, free ones and those in buckets do not add up";
    return NULL;
}

/* What is wrong with it; NULL: nothing. */
static inline const char *kv_fault(const KvCache *kv) {
    int32_t *users = calloc(kv->pages.count + 1, sizeof *users),
            *state_users = calloc(kv->states.count + 1, sizeof *state_users);
    if (!users || !state_users) abort();
    for (size_t s = 0; s < kv->config.sequences; s++)
        kv_count_sequence(kv, s, users, state_users);
    const char *fault = kv_count_prefixes(kv, users, state_users);
    if (!fault) fault = kv_pool_fault(&kv->pages, users);
    if (!fault) fault = kv_pool_fault(&kv->states, state_users);
    free(users), free(state_users);
    return fault;
}

#endif
