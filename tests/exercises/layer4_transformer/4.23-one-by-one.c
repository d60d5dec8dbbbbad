/* right: a product for each map, and rows are stored by one thread */
static void keep_rows(void *context, int worker, size_t begin, size_t end) {
    const Keep *t = context;
    size_t heads = t->shape->kv_heads;
    (void)worker;
    while (begin < end) {
        const float *k = t->run->k + begin * heads * t->shape->head_dim,
                    *v = t->run->v + begin * heads * attention_value_dim(t->shape);
        int32_t sequence = t->source->sequence[begin], position = t->source->position[begin];
        kv_store(t->kv, t->layer, (size_t)sequence, (size_t)position, k, v);
        begin++;
    }
}

void cross_keep(Pool *pool, const Cross *cross, AttentionRun *run, KvCache *kv, size_t layer,
                const Batch *source, const float *rows) {
    const Attention *a = &cross->attention;
    Keep keep = {&a->shape, run, kv, layer, source};
    linear(pool, &a->k, rows, source->count, run->k, run->scratch);
    linear(pool, &a->v, rows, source->count, run->v, run->scratch);
    keep_rows(&keep, 0, 0, source->count);
}

void cross_forward(Pool *pool, const Cross *cross, AttentionRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out) {
    const Attention *a = &cross->attention;
    size_t n = batch->count;
    const LinearProduct ask = {&a->q, 0, n, run->q};
    linear_products(pool, &ask, 1, x, n, run->scratch);
    attention_online(pool, &a->shape, kv, layer, batch, run->q, run->mixed);
    linear(pool, &a->o, run->mixed, n, out, run->scratch);
}
