/* guard.c - under AddressSanitizer: memory inside a block that no access may touch.
 *
 *     arena    |#### piece 1 ####|xxxxxx|## piece 2 ##|xxxxxx|     a gap behind each piece
 *     region   |## 1 ##|xx|#### 2 ####|xx|                         and each allocation
 *     pages    |# in use #|xxxxx free xxxxx|# in use #|
 *
 * To the sanitizer an arena is one piece of memory: an index beyond the end of an array reads
 * the next one, unnoticed.  SAN=1 links this file into every program (layer.mk), and the linker
 * sends each call of f from another file to __wrap_f; __real_f is the function itself.  It is
 * weak, so that no program gets a part that it does not use.  The rehearsal of an arena comes
 * here as well, so there is room for the gaps. */
#include "../layer4_transformer/include/page_pool.h"
#include "region.h"
#include "size.h"

#include <sanitizer/asan_interface.h>
#include <stdint.h>

#define WRAPPED(type, name, ...)                           \
    __attribute__((weak)) type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__);                       \
    type __wrap_##name(__VA_ARGS__)

enum { MAX_GAP = 4096 };

/* Not near the end of what can be counted, where tests take pieces. */
WRAPPED(void *, arena_take, Arena *arena, size_t count, size_t size) {
    char *piece = __real_arena_take(arena, count, size);
    if (arena->used < SIZE_MAX / 4)
        __real_arena_take(arena, 1, min_size(max_size(size, ARENA_ALIGN), MAX_GAP));
    if (piece) {
        char *end = piece + count * size, *next = (char *)arena->base + arena->used;
        __asan_poison_memory_region(end, (size_t)(next - end));
    }
    return piece;
}

/* Memory that is mapped goes back to the system, which may give it out again. */
WRAPPED(void, arena_free, Arena *arena) {
    __asan_unpoison_memory_region(arena->base, arena->size);
    __real_arena_free(arena);
}

/* At the limit of a region there is no gap. */
WRAPPED(void *, region_alloc, Region *region, size_t size) {
    enum { GAP = 16 };
    char *piece = size < SIZE_MAX - 2 * GAP ? __real_region_alloc(region, size + GAP) : NULL;
    if (!piece) return __real_region_alloc(region, size);
    __asan_poison_memory_region(piece + size, round_up(size + GAP, GAP) - size);
    return piece;
}

static char *page_start(const PagePool *pool, int32_t page) {
    return pool->bytes + (size_t)page * pool->page_bytes;
}

/* The first page of a pool closes the others.  (A machine that follows another's page tables
 * takes none: all its pages are open.) */
WRAPPED(int32_t, page_take, PagePool *pool) {
    if (pool->free_count == pool->count)
        __asan_poison_memory_region(pool->bytes, pool->count * pool->page_bytes);
    int32_t page = __real_page_take(pool);
    __asan_unpoison_memory_region(page_start(pool, page), pool->page_bytes);
    return page;
}

WRAPPED(void, page_release, PagePool *pool, int32_t page) {
    __real_page_release(pool, page);
    if (pool->refcount[page] == 0)
        __asan_poison_memory_region(page_start(pool, page), pool->page_bytes);
}
