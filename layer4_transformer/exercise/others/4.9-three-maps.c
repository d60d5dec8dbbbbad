/* right: three maps one after the other, and the rows in a plain loop */
void attention_forward(Pool *pool, const Attention *a, AttentionRun *run, KvCache *kv,
                       size_t layer, const Batch *batch, const float *x, float *out) {
    Rows rows = {.a = a, .run = run, .kv = kv, .layer = layer, .batch = batch};
    linear(pool, &a->q, x, batch->count, a->gate_in_q ? run->gate : run->q, run->scratch);
    if (a->gate.w.data) linear(pool, &a->gate, x, batch->count, run->gate, run->scratch);
    linear(pool, &a->k, x, batch->count, run->k, run->scratch);
    linear(pool, &a->v, x, batch->count, run->v, run->scratch);
    for (size_t i = 0; i < batch->count; i++) place_row(&rows, i);
    attention_online(pool, &a->shape, kv, layer, batch->count, batch->sequence, batch->position,
                     run->q, run->mixed);
    if (a->gate.w.data || a->gate_in_q || a->sub_norm.kind)
        finish_rows(&rows, 0, 0, batch->count);
    linear(pool, &a->o, run->mixed, batch->count, out, run->scratch);
}
