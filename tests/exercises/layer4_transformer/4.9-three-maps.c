/* right: three maps one after the other, and the rows in a plain loop */
void attention_forward(const Block *b, const Pass *p, const float *x, float *out) {
    const Attention *a = &b->attention;
    AttentionRun *run = &p->run->attention;
    Pool *pool = p->run->pool;
    Rows rows = {
        .a = a, .run = run, .kv = p->kv, .layer = p->layer - a->kv_back, .batch = p->batch};
    size_t n = p->batch->count;
    linear(pool, &a->q, x, n, a->gate_in_q ? run->gate : run->q, run->scratch);
    if (a->gate.w.data) linear(pool, &a->gate, x, n, run->gate, run->scratch);
    if (a->k.w.data) linear(pool, &a->k, x, n, run->k, run->scratch);
    if (a->v.w.data) linear(pool, &a->v, x, n, run->v, run->scratch);
    if (!a->kv_back && (!a->v.w.data || a->v_norm.kind)) take_values(&rows, 0, 0, n);
    for (size_t i = 0; i < n; i++) place_row(&rows, i);
    if (run->probe) probe_queries(run->probe, &a->shape, run->q);
    attention_online(pool, &a->shape, p->kv, rows.layer, p->batch, run->q, run->mixed);
    if (run->probe) probe_weights(run->probe, &a->shape, p->kv, run->q);
    if (run->probe) probe_heads(run->probe, &a->shape, run->mixed);
    if (a->gate.w.data || a->gate_in_q || a->sub_norm.kind) finish_rows(&rows, 0, 0, n);
    linear(pool, &a->o, run->mixed, n, out, run->scratch);
}
