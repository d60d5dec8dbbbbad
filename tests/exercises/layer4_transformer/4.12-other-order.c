/* right: the way back through the maps in another order: v first, then k, then q */
static void attend_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                            const TrainSaved *saved, float *dx) {
    const TrainShape s = run->shape;
    AttentionShape shape = attention_shape(&s);
    size_t n = run->n, hd = s.head_dim, wide = s.heads * hd, narrow = s.kv_heads * hd;
    float *dmixed = run->grad_a, *dq = run->grad_b, *dk = run->grad_c,
          *dv = run->grad_c + n * narrow;
    linear_backward(run->pool, dmixed, false, grad->o, w->o, s.dim, wide, saved->mixed, dx, n,
                    run->matmul_scratch);
    attention_backward(run->pool,
                       &(AttentionTask){&shape, run->sequences, run->attn_scratch, saved->q,
                                        saved->k, saved->v, NULL, dmixed, dq, dk, dv});
    for (size_t i = 0; i < n; i++) {
        const float *c = run->cosine + i * hd / 2, *sine = run->sine + i * hd / 2;
        for (size_t h = 0; h < s.heads; h++)
            rope_rotate_backward(&run->rope, c, sine, dq + i * wide + h * hd);
        for (size_t h = 0; h < s.kv_heads; h++)
            rope_rotate_backward(&run->rope, c, sine, dk + i * narrow + h * hd);
    }
    float *dnormed = run->grad_a;
    memset(dnormed, 0, n * s.dim * sizeof *dnormed);
    linear_backward(run->pool, dnormed, true, grad->v, w->v, narrow, s.dim, saved->normed, dv,
                    n, run->matmul_scratch);
    linear_backward(run->pool, dnormed, true, grad->k, w->k, narrow, s.dim, saved->normed, dk,
                    n, run->matmul_scratch);
    linear_backward(run->pool, dnormed, true, grad->q, w->q, wide, s.dim, saved->normed, dq, n,
                    run->matmul_scratch);
    for (size_t i = 0; i < n; i++)
        rms_norm_backward(dx + i * s.dim, grad->attn_norm, saved->x + i * s.dim, w->attn_norm,
                          dnormed + i * s.dim, s.dim, s.eps);
}
