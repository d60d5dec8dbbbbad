/* page_pool.c - see page_pool.h. */
#include "page_pool.h"

void page_pool_init(PagePool *pool, size_t count, size_t bytes, Arena *arena) {
    *pool = (PagePool){.count = count, .page_bytes = bytes};
    pool->bytes = arena_take(arena, count, bytes);
    pool->free_list = arena_take(arena, count, sizeof *pool->free_list);
    pool->refcount = arena_take(arena, count, sizeof *pool->refcount);
    if (!pool->free_list) return; /* measuring */
    for (size_t i = 0; i < count; i++)
        pool->free_list[i] = (int32_t)(count - 1 - i); /* page 0 on top */
    pool->free_count = count;
}

int32_t page_take(PagePool *pool) {
    REQUIRE(pool->free_count > 0, "all %zu pages are in use", pool->count);
    int32_t page = pool->free_list[--pool->free_count];
    pool->refcount[page] = 1;
    return page;
}

void page_share(PagePool *pool, int32_t page) { pool->refcount[page]++; }

void page_release(PagePool *pool, int32_t page) {
    if (--pool->refcount[page] == 0) pool->free_list[pool->free_count++] = page;
}

void *page_bytes(const PagePool *pool, int32_t page) {
    return pool->bytes + (size_t)page * pool->page_bytes;
}
