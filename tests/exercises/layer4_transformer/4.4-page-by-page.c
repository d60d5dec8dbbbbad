/* right: gives back from the first page that goes on, one position of the table after the other */
size_t kv_truncate(KvCache *kv, size_t sequence, size_t length) {
    size_t before = kv->length[sequence];
    length = kv_reach(kv, sequence, length);
    if (length == before) return before;
    for (size_t l = 0; l < kv->config.layers; l++) {
        for (size_t i = 0; i < kv_pages_for(before); i++)
            if (kv_has_pages(kv, l) && i >= kv_pages_for(length) &&
                i >= (size_t)*kv_gone(kv, sequence, l))
                page_release(&kv->pages, kv_table(kv, sequence, l)[i]);
        if (!length) *kv_gone(kv, sequence, l) = 0;
    }
    state_truncate(kv, sequence, length);
    if (!length) kv->source[sequence] = 0;
    kv->length[sequence] = length;
    return length;
}
