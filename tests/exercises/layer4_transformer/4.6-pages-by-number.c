/* right: a loop over the numbers of the pages, each cut to what is seen */
static void one_query(const Online *t, size_t row, size_t head, size_t heads, size_t kv_head) {
    const AttentionShape *s = t->shape;
    Range seen = mask_range(s->mask, (size_t)t->position[row], t->kv->length[t->sequence[row]]);
    size_t vd = attention_value_dim(s);
    float *out = t->out + (row * s->heads + head) * vd;
    Running run[GROUP];
    KvQuery query;
    kv_query(t->kv, t->layer,
             (KvRows){t->q + (row * s->heads + head) * s->head_dim, s->head_dim, heads},
             &query);
    for (size_t i = 0; i < heads * vd; i++) out[i] = 0;
    begin_running(s, head, heads, run);
    for (size_t page = seen.begin / KV_PAGE; page * KV_PAGE < seen.end; page++) {
        size_t from = page * KV_PAGE > seen.begin ? page * KV_PAGE : seen.begin,
               to = (page + 1) * KV_PAGE < seen.end ? (page + 1) * KV_PAGE : seen.end;
        one_page(t, row, head, &query, kv_head, from, to - from, run, out);
    }
    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < vd; i++) out[h * vd + i] = out[h * vd + i] / run[h].sum;
}
