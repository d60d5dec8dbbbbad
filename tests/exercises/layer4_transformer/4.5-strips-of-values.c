/* right: keys and values apart, values strip by strip */
void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v) {
    const KvShape s = kv->shape[layer];
    if (kv_has_blocks(kv->config.dtype)) {
        kv_blocks_store(kv, layer, sequence, position, k, v);
        return;
    }
    for (size_t head = 0; head < s.kv_heads; head++)
        for (size_t i = 0; i < s.key_dim; i++)
            put(kv, kv_key(kv, (KvHead){layer, sequence, head}, position), i * 16,
                k[head * s.key_dim + i]);
    for (size_t head = 0; head < s.kv_heads; head++)
        for (size_t strip = 0; strip * STRIP < s.value_dim; strip++)
            for (size_t i = 0; i < STRIP && strip * STRIP + i < s.value_dim; i++)
                put(kv, kv_value(kv, (KvHead){layer, sequence, head}, position),
                    strip * STRIP * KV_PAGE + i, v[head * s.value_dim + strip * STRIP + i]);
}
