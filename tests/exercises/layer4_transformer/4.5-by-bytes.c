/* right: places counted in bytes, keys first and then values, number by number */
static char *at_number(const KvCache *kv, size_t n) {
    return kv->pages.bytes + n * (kv->config.dtype == DTYPE_F32 ? 4 : 2);
}

void *kv_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position) {
    size_t begin = head_at(kv, layer, sequence, head, position), p = position & (KV_PAGE - 1);
    return at_number(kv, begin + (p / 16) * (16 * kv->shape[layer].key_dim) + (p & 15));
}

void *kv_value(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position) {
    size_t begin = head_at(kv, layer, sequence, head, position);
    return at_number(kv, begin + 64 * kv->shape[layer].key_dim + 16 * (position & 63));
}
