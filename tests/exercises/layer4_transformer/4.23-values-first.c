/* right: values before keys, and tokens of the text one after the other */
static void keep_rows(void *context, int worker, size_t begin, size_t end) {
    const Keep *t = context;
    const AttentionShape *s = t->shape;
    (void)worker;
    for (size_t i = end; i-- > begin;)
        kv_store(t->kv, t->layer, (size_t)t->source->sequence[i],
                 (size_t)t->source->position[i], t->run->k + i * s->kv_heads * s->head_dim,
                 t->run->v + i * s->kv_heads * attention_value_dim(s));
}

void cross_keep(Pool *pool, const Cross *cross, AttentionRun *run, KvCache *kv, size_t layer,
                const Batch *source, const float *rows) {
    const Attention *a = &cross->attention;
    const LinearProduct both[2] = {{&a->v, 0, source->count, run->v},
                                   {&a->k, 0, source->count, run->k}};
    linear_products(pool, both, 2, rows, source->count, run->scratch);
    Keep keep = {.shape = &a->shape, .run = run, .kv = kv, .layer = layer, .source = source};
    pool_for(pool, source->count, 1, keep_rows, &keep);
}

void cross_forward(Pool *pool, const Cross *cross, AttentionRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out) {
    const Attention *a = &cross->attention;
    size_t dim = a->o.w.shape[0];
    for (size_t i = 0; i < batch->count; i++) {
        linear(pool, &a->q, x + i * dim, 1, run->q, run->scratch);
        attention_online(pool, &a->shape, kv, layer,
                         &(Batch){.count = 1,
                                  .sequence = batch->sequence + i,
                                  .position = batch->position + i},
                         run->q, run->mixed);
        linear(pool, &a->o, run->mixed, 1, out + i * dim, run->scratch);
    }
}
