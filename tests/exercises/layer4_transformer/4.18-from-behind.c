/* right: copies the whole table and counts from behind; the copy is filled before the old page is given back */
void copy_on_write(PagePool *pool, int32_t *entry) {
    int32_t old = *entry;
    const char *from = page_bytes(pool, old);
    *entry = page_take(pool);
    char *to = page_bytes(pool, *entry);
    for (size_t i = 0; i < pool->page_bytes; i++) to[i] = from[i];
    page_release(pool, old);
    if (pool->copied) pool->copied(pool, old, *entry);
}

void kv_fork(KvCache *kv, size_t to, size_t from) {
    if (to != from) {
        kv_truncate(kv, to, 0);
        state_fork(kv, to, from);
        kv->length[to] = kv->length[from];
        kv->source[to] = kv->source[from];
        for (size_t l = kv->config.layers; l-- > 0;) {
            if (!kv_has_pages(kv, l)) continue;
            memcpy(kv_table(kv, to, l), kv_table(kv, from, l),
                   kv->table_size * sizeof(int32_t));
            *kv_gone(kv, to, l) = *kv_gone(kv, from, l);
            for (size_t i = (kv->length[from] + KV_PAGE - 1) / KV_PAGE;
                 i-- > (size_t)*kv_gone(kv, from, l);)
                page_share(&kv->pages, kv_table(kv, to, l)[i]);
        }
    }
}
