/* open_kv.h - a KV cache for tests. */
#ifndef STRATA_OPEN_KV_H
#define STRATA_OPEN_KV_H

#include "check.h"
#include "transformer.h"

static inline void kv_open(KvCache *kv, Arena *arena, KvConfig config) {
    arena_measure(arena), kv_init(kv, &config, arena), prefix_init(kv, arena);
    assert_true(arena_init(arena, arena->used, NULL));
    kv_init(kv, &config, arena), prefix_init(kv, arena);
}

#endif
