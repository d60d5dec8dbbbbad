/* page_pool.h - fixed-size pages with reference counts.
 *
 * Invariant: a page's refcount is the number of tables, prefixes and snapshots that name it; a
 * page with refcount 0 is on the free list [random_operations_keep_every_number]. */
#ifndef STRATA_PAGE_POOL_H
#define STRATA_PAGE_POOL_H

#include "tensor.h"

typedef struct PagePool {
    size_t count, free_count; /* pages; free ones */
    size_t page_bytes;
    char *bytes;                                                     /* (count, page_bytes) */
    int32_t *free_list;                                              /* (count) stack */
    int32_t *refcount;                                               /* (count) */
    void (*copied)(struct PagePool *pool, int32_t from, int32_t to); /* or NULL; told of it */
} PagePool;

/* Lay out `count` free pages.  Most systems give untouched pages no physical memory. */
void page_pool_init(PagePool *pool, size_t count, size_t page_bytes, Arena *arena);

/* A page with refcount 1.  Needs a free one. */
int32_t page_take(PagePool *pool);

/* Add, or drop, a reference. */
void page_share(PagePool *pool, int32_t page);
void page_release(PagePool *pool, int32_t page);

void *page_bytes(const PagePool *pool, int32_t page);

#endif
