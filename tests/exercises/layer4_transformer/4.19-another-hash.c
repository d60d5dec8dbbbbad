/* right: another hash (FNV-1a over bytes, 1991), and a bucket walked by hand */
static uint64_t chain_hash(uint64_t before, const int32_t *tokens) {
    uint64_t hash = 14695981039346656037u ^ before * 0x9E3779B97F4A7C15u;
    const unsigned char *bytes = (const unsigned char *)tokens;
    for (size_t i = 0; i < KV_PAGE * sizeof *tokens; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static bool is_page(const Prefix *p, uint64_t salt, int32_t parent, const int32_t *tokens) {
    if (p->salt != salt || p->parent != parent) return false;
    for (size_t i = 0; i < KV_PAGE; i++)
        if (p->tokens[i] != tokens[i]) return false;
    return true;
}

static int32_t find(const KvCache *kv, uint64_t hash, uint64_t salt, int32_t parent,
                    const int32_t *tokens) {
    for (int32_t i = *bucket_of(kv, hash); i >= 0; i = kv->prefix[i].next)
        if (kv->prefix[i].hash == hash && is_page(&kv->prefix[i], salt, parent, tokens))
            return i;
    return -1;
}
