/* right: free pages are counted before anything is touched; new pages are taken layer by layer, from the last to the first */
static size_t wanted_in(const KvCache *kv, size_t sequence, size_t layer, size_t length) {
    size_t now = kv->length[sequence],
           pages = (length + KV_PAGE - 1) / KV_PAGE - (now + KV_PAGE - 1) / KV_PAGE;
    return now % KV_PAGE != 0 &&
                   kv->pages.refcount[kv_table(kv, sequence, layer)[now / KV_PAGE]] > 1
               ? pages + 1
               : pages;
}

bool kv_extend(KvCache *kv, size_t sequence, size_t length) {
    size_t now = kv->length[sequence];
    if (now >= length) return true;
    if (kv->config.ctx < length) return false;
    if (!kv_reserve(kv, sequence, length, 0)) return false;
    for (size_t l = kv->config.layers; l-- > 0;) {
        int32_t *table = kv_table(kv, sequence, l);
        if (!kv_has_pages(kv, l)) continue;
        size_t first = (now + KV_PAGE - 1) / KV_PAGE, last = (length + KV_PAGE - 1) / KV_PAGE;
        if (wanted_in(kv, sequence, l, length) > last - first)
            copy_on_write(&kv->pages, table + now / KV_PAGE);
        while (last > first) table[--last] = page_take(&kv->pages);
    }
    state_extend(kv, sequence, length);
    kv->length[sequence] = length;
    return true;
}
