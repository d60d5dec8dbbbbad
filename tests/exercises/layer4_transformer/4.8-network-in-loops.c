/* right: maps one by one, the activation in a loop over a row of its own */
void dense_forward(Pool *pool, const FeedForward *f, const Network *net, const float *x,
                   size_t n, float *out, FfnRun *run) {
    size_t numbers = n * net->up.w.shape[0];
    linear(pool, &net->up, x, n, run->b, run->scratch);
    if (f->gated) linear(pool, &net->gate, x, n, run->a, run->scratch);
    for (size_t at = 0; at < numbers; at += 7) {
        size_t end = at + 7 < numbers ? at + 7 : numbers;
        activate_some(&(Elements){f, run->a, run->b, f->limit}, 0, at, end);
    }
    for (size_t i = 0; i < n && f->sub_norm.kind; i++)
        norm_apply(&f->sub_norm, run->a + i * net->up.w.shape[0],
                   run->a + i * net->up.w.shape[0], net->up.w.shape[0]);
    linear(pool, &net->down, run->a, n, out, run->scratch);
}
