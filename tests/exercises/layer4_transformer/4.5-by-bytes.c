/* right: places counted in bytes, keys first and then values, number by number */
void *kv_key(const KvCache *kv, KvHead at, size_t position) {
    size_t p = position & (KV_PAGE - 1), size = kv->config.dtype == DTYPE_F32 ? 4 : 2;
    char *begin = head_bytes_at(kv, at, position);
    return begin + size * (p / 16) * (16 * kv->shape[at.layer].key_dim) + size * (p & 15);
}

void *kv_value(const KvCache *kv, KvHead at, size_t position) {
    size_t size = kv->config.dtype == DTYPE_F32 ? 4 : 2;
    char *begin = head_bytes_at(kv, at, position);
    return begin + size * 64 * kv->shape[at.layer].key_dim + size * 16 * (position & 63);
}
