/* right: the way there with norms and turns in plain loops, and the product into the stream's own scratch */
static void attend(const TrainRun *run, const TrainBlock *w, TrainSaved *saved) {
    const TrainShape s = run->shape;
    AttentionShape shape = attention_shape(&s);
    size_t n = run->n, hd = s.head_dim, wide = s.heads * hd, narrow = s.kv_heads * hd;
    linear_dense(run->pool, w->v, narrow, s.dim, saved->normed, n, saved->v,
                 run->matmul_scratch);
    linear_dense(run->pool, w->k, narrow, s.dim, saved->normed, n, saved->k,
                 run->matmul_scratch);
    linear_dense(run->pool, w->q, wide, s.dim, saved->normed, n, saved->q, run->matmul_scratch);
    for (size_t i = 0; i < n; i++) {
        const float *c = run->cosine + i * hd / 2, *sine = run->sine + i * hd / 2;
        for (size_t h = 0; h < s.heads; h++)
            rope_rotate(&run->rope, c, sine, saved->q + i * wide + h * hd);
        for (size_t h = 0; h < s.kv_heads; h++)
            rope_rotate(&run->rope, c, sine, saved->k + i * narrow + h * hd);
    }
    attention_sequences(run->pool,
                        &(AttentionTask){&shape, run->sequences, run->attn_scratch, saved->q,
                                         saved->k, saved->v, saved->mixed});
    linear_dense(run->pool, w->o, s.dim, wide, saved->mixed, n, run->grad_b,
                 run->matmul_scratch);
}

void block_train_forward(const TrainRun *run, const TrainBlock *w, TrainSaved *saved,
                         float *x) {
    const TrainShape s = run->shape;
    size_t n = run->n;
    for (size_t i = 0; i < n * s.dim; i++) saved->x[i] = x[i];
    for (size_t i = 0; i < n; i++)
        rms_norm(saved->normed + i * s.dim, x + i * s.dim, w->attn_norm, s.dim, s.eps);
    const float *branch = s.mixer ? saved->middle : run->grad_b;
    if (s.mixer) s.mixer->forward(run, w, saved);
    if (!s.mixer) attend(run, w, saved);
    for (size_t i = 0; i < n * s.dim; i++) saved->middle[i] = x[i] = x[i] + branch[i];
    for (size_t i = 0; i < n; i++)
        rms_norm(saved->ffn_normed + i * s.dim, x + i * s.dim, w->ffn_norm, s.dim, s.eps);
    linear_dense(run->pool, w->up, s.hidden, s.dim, saved->ffn_normed, n, saved->up,
                 run->matmul_scratch);
    linear_dense(run->pool, w->gate, s.hidden, s.dim, saved->ffn_normed, n, saved->gate,
                 run->matmul_scratch);
    activate_gated(ACT_SILU, saved->act, saved->gate, saved->up, n * s.hidden);
    linear_dense(run->pool, w->down, s.dim, s.hidden, saved->act, n, run->grad_c,
                 run->matmul_scratch);
    for (size_t i = 0; i < n * s.dim; i++) x[i] += run->grad_c[i];
}
