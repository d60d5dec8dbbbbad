/* right: the last page lies on top, and the numbers come before the bytes */
#include <string.h>
void page_pool_init(PagePool *pool, size_t count, size_t bytes, Arena *arena) {
    memset(pool, 0, sizeof *pool);
    pool->count = count, pool->page_bytes = bytes;
    pool->refcount = arena_take(arena, count, sizeof(int32_t));
    pool->free_list = arena_take(arena, count, sizeof(int32_t));
    pool->bytes = arena_take(arena, count * bytes, 1);
    if (pool->bytes)
        for (pool->free_count = 0; pool->free_count < count; pool->free_count++)
            pool->free_list[pool->free_count] = (int32_t)pool->free_count;
}

void page_share(PagePool *pool, int32_t page) { pool->refcount[page] += 1; }
