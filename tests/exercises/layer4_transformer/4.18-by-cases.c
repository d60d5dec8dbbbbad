/* right: one case after the other */
bool writes_to_shared(const KvCache *kv, size_t sequence, size_t layer) {
    size_t length = kv->length[sequence], page = length / KV_PAGE;
    if (page * KV_PAGE == length) return false; /* the next position needs a new page */
    int32_t users = kv->pages.refcount[kv_table(kv, sequence, layer)[page]];
    if (users == 1) return false;
    return true;
}
