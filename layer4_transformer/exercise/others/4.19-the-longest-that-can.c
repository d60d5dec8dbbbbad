/* right: remembers the longest beginning that a sequence can go on from, instead of stepping back */
size_t prefix_find(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n,
                   uint64_t salt) {
    kv_truncate(kv, sequence, 0);
    if (!kv->config.prefixes) return 0;
    int32_t at = NONE, good = NONE;
    size_t whole = 0;
    uint64_t hash = salt;
    kv->clock++;
    for (size_t i = 0; i < kv->table_size && (i + 1) * KV_PAGE < n; i++) {
        hash = chain_hash(hash, tokens + i * KV_PAGE);
        at = find(kv, hash, salt, at, tokens + i * KV_PAGE);
        if (at == NONE) break;
        kv->prefix[at].used = kv->clock;
        if (can_begin(kv, at, i + 1)) good = at, whole = i + 1;
    }
    for (size_t l = kv->config.layers; l-- > 0;)
        if (kv_has_pages(kv, l)) share(kv, sequence, l, good, whole);
    if (whole > 0 && kv->snapshots)
        state_share(kv, sequence, whole * KV_PAGE, kv->prefix[good].state);
    kv->length[sequence] = whole * KV_PAGE;
    return kv->length[sequence];
}
