/* right: a loop over the numbers of the pages, each cut to what is seen */
static void one_query(const Online *t, const QueryGroup *g) {
    const AttentionShape *s = t->shape;
    Range seen = attention_range(s, t->kv, (size_t)t->batch->sequence[g->row],
                                 (size_t)t->batch->position[g->row]);
    size_t vd = attention_value_dim(s), first = g->row * s->heads + g->head;
    float *out = t->out + first * vd;
    OnlineSoftmax run[GROUP];
    KvQuery query;
    kv_query(t->kv, t->layer, (KvRows){t->q + first * s->head_dim, s->head_dim, g->heads},
             &query);
    for (size_t i = 0; i < g->heads * vd; i++) out[i] = 0;
    for (size_t h = 0; h < g->heads; h++) {
        run[h].max = s->sinks ? s->sinks[g->head + h] : -INFINITY;
        run[h].sum = s->sinks ? 1 : 0;
    }
    for (size_t page = seen.begin / KV_PAGE; page * KV_PAGE < seen.end; page++) {
        size_t from = page * KV_PAGE > seen.begin ? page * KV_PAGE : seen.begin,
               to = (page + 1) * KV_PAGE < seen.end ? (page + 1) * KV_PAGE : seen.end;
        one_page(t, g, &query, (KvSpan){from, to - from}, run, out);
    }
    for (size_t h = 0; h < g->heads; h++)
        for (size_t i = 0; i < vd; i++) out[h * vd + i] = out[h * vd + i] / run[h].sum;
}
