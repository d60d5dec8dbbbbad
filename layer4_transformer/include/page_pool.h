/* page_pool.h - pieces of memory of one size, each shared by whoever names it.
 *
 * Invariant: a page's refcount is the number of those who name it, and it is on the free list when
 * that is 0. */
#ifndef STRATA_PAGE_POOL_H
#define STRATA_PAGE_POOL_H

#include "tensor.h"

typedef struct PagePool {
    size_t count, free_count; /* pages; of them free */
    size_t page_bytes;
    char *bytes;        /* (count, page_bytes) */
    int32_t *free_list; /* (count) a stack */
    int32_t *refcount;  /* (count) */
} PagePool;

/* Lay out so many pages, all free.  Those that are never used cost no physical memory on most systems. */
void page_pool_init(PagePool *pool, size_t count, size_t page_bytes, Arena *arena);

/* A page with one user.  Needs a free one. */
int32_t page_take(PagePool *pool);

/* One user more, one user less. */
void page_share(PagePool *pool, int32_t page);
void page_release(PagePool *pool, int32_t page);

void *page_bytes(const PagePool *pool, int32_t page);

#endif
