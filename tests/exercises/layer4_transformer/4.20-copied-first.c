/* right: first all copies, then the gap is given back, then the table is moved at once */
static void close_gap(KvCache *kv, size_t sequence, size_t layer, size_t first, size_t count) {
    int32_t *table = kv_table(kv, sequence, layer);
    size_t gone = (size_t)*kv_gone(kv, sequence, layer), behind = first + count,
           end = kv_pages_for(kv->length[sequence]);
    for (size_t i = gone > behind ? gone : behind; i < end; i++)
        if (kv->pages.refcount[table[i]] > 1) copy_on_write(&kv->pages, table + i);
    for (size_t i = gone; i < behind; i++)
        if (i >= first) page_release(&kv->pages, table[i]);
    for (size_t i = behind; i < end; i++) table[i - count] = table[i];
    if (gone <= first) return;
    *kv_gone(kv, sequence, layer) = (int32_t)(gone >= behind ? gone - count : first);
}
