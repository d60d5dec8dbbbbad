/* memory_limit.c - see memory_limit.h. */
#include "memory_limit.h"

#include <stdatomic.h>

static size_t most;
static atomic_size_t taken;

void memory_limit_set(size_t bytes) { most = bytes; }

bool memory_limit_take(size_t bytes) {
    size_t before = atomic_load(&taken);
    do {
        if (most && (before > most || bytes > most - before)) return false;
    } while (!atomic_compare_exchange_weak(&taken, &before, before + bytes));
    return true;
}

void memory_limit_give(size_t bytes) { atomic_fetch_sub(&taken, bytes); }

bool memory_limit_is_short(void) { return most && atomic_load(&taken) > most / 2; }

size_t memory_limit_taken(void) { return atomic_load(&taken); }
