/* right: remembers the longest beginning that a sequence can go on from, instead of stepping back */
size_t prefix_find(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n,
                   uint64_t salt) {
    kv_truncate(kv, sequence, 0);
    if (!kv->config.prefixes || n == 0) return 0;
    int32_t at = NONE, good = NONE;
    size_t read = 0, found = 0, part = 0;
    uint64_t hash = salt;
    kv->clock++;
    while (read + KV_PAGE < n) {
        hash = chain_hash(hash, tokens + read);
        int32_t page = find(kv, hash, salt, at, tokens + read);
        if (page == NONE) break;
        kv->prefix[page].used = kv->clock;
        at = page, read += KV_PAGE;
        if (can_begin(kv, at, read)) good = at, found = read;
    }
    size_t left = n - 1 - read;
    int32_t last =
        find_begun(kv, salt, at, tokens + read, left < KV_PAGE ? left : KV_PAGE, &part);
    if (part > 0) {
        kv->prefix[last].used = kv->clock;
        if (can_begin(kv, last, read + part)) good = last, found = read + part;
    }
    for (size_t l = kv->config.layers; l-- > 0;)
        if (kv_has_pages(kv, l)) share(kv, sequence, l, good, found);
    if (found > 0 && kv->snapshots) state_share(kv, sequence, found, kv->prefix[good].state);
    kv->length[sequence] = found;
    return kv->length[sequence];
}
