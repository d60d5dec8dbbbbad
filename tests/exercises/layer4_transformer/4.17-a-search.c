/* right: looks for a page without users instead of keeping a pile; the pile is written down all the same */
int32_t page_take(PagePool *pool) {
    int32_t page = 0;
    REQUIRE(pool->free_count > 0, "no page is free");
    while (pool->refcount[page]) page++;
    pool->refcount[page]++, pool->free_count--;
    return page;
}

void page_release(PagePool *pool, int32_t page) {
    pool->refcount[page]--;
    if (!pool->refcount[page]) pool->free_count++;
}
