/* right: keys of all heads first, then their values */
static void store_heads(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mla *m = t->m;
    const AttentionShape *s = &t->a->shape;
    size_t each = m->plain + m->value;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const float *kv = t->run->heads_out + i * s->heads * each,
                    *turned = t->run->kv + i * (m->rank + m->rotary) + m->rank;
        float *k = t->shared->k + i * s->heads * s->head_dim,
              *v = t->shared->v + i * s->heads * m->value;
        for (size_t h = 0; h < s->heads; h++)
            for (size_t j = 0; j < s->head_dim; j++)
                k[h * s->head_dim + j] = j < m->plain ? kv[h * each + j] : turned[j - m->plain];
        for (size_t h = 0; h < s->heads; h++)
            for (size_t j = 0; j < m->value; j++)
                v[h * m->value + j] = kv[h * each + m->plain + j];
        kv_rotate(t->kv, t->shared->q + i * s->heads * s->head_dim, s->heads, s->head_dim);
        kv_store(t->kv, t->layer, (size_t)t->batch->sequence[i], (size_t)t->batch->position[i],
                 k, v);
    }
}
