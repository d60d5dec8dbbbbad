/* page_pool.c
 *
 * Proves    a page is in use, with as many references as it was shared, or once in the free list
 *           with none; page_take never gives a page in use
 * Bound     3 pages, every order of 10 calls
 * Source    layer4_transformer/src/memory/page_pool.c
 * Options   -eva-precision 1 -eva-slevel 100000
 * Mutant    layer4_transformer/src/memory/page_pool.c | --pool->refcount[page] == 0 | pool->refcount[page]-- == 0
 * Mutant    layer4_transformer/src/memory/page_pool.c | pool->refcount[page] = 1; | pool->refcount[page] = 0; */
#include "page_pool.h"
#include "proof.h"

enum { PAGES = 3, CALLS = 10 };

static int32_t references[PAGES];

void *arena_take(Arena *arena, size_t count, size_t size) {
    return (void)arena, (void)count, (void)size, NULL;
}

static void consistent(const PagePool *pool) {
    int listed[PAGES] = {0};
    for (size_t i = 0; i < pool->free_count; i++) listed[pool->free_list[i]]++;
    for (int page = 0; page < PAGES; page++) {
        PROVE(listed[page] == (references[page] == 0));
        if (references[page]) PROVE(pool->refcount[page] == references[page]);
    }
}

int main(void) {
    int32_t list[PAGES] = {2, 1, 0};
    int32_t refcount[PAGES] = {0};
    PagePool pool = {
        .count = PAGES, .free_count = PAGES, .free_list = list, .refcount = refcount};
    for (int call = 0; call < CALLS; call++) {
        int page = Frama_C_interval(0, PAGES - 1);
        //@ split page;
        if (references[page] == 0) {
            if (pool.free_count == 0) continue;
            int32_t taken = page_take(&pool);
            PROVE(taken >= 0 && taken < PAGES && references[taken] == 0);
            references[taken] = 1;
        } else if (Frama_C_nondet(0, 1)) {
            page_share(&pool, page), references[page]++;
        } else {
            page_release(&pool, page), references[page]--;
        }
        consistent(&pool);
    }
    END();
}
