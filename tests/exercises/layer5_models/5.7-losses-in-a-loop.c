/* right: losses in a plain loop, all rows by one thread */
double train_forward(Trainer *t, bool gradients) {
    size_t n = t->batch.n, dim = t->config.shape.dim, vocab = t->config.vocab;
    double sum = 0;
    prepare(t);
    if (gradients && t->elsewhere != NULL) return t->elsewhere(t);
    for (size_t l = 0; l < t->config.layers; l++)
        block_train_forward(&t->run, t->weights.blocks + l, t->saved + l, t->x);
    for (size_t i = 0; i < n; i++)
        rms_norm(t->normed + i * dim, t->x + i * dim, t->weights.out_norm, dim,
                 t->config.shape.eps);
    linear_dense(t->pool, t->weights.embedding, vocab, dim, t->normed, n, t->logits,
                 t->run.matmul_scratch);
    for (size_t i = 0; i < n; i++) {
        float *row = t->logits + i * vocab;
        size_t target = (size_t)t->batch.target[i];
        float weight = t->batch.weight[i];
        sum += (double)weight * cross_entropy(row, vocab, target);
        if (gradients) cross_entropy_backward(row, vocab, target, weight / (float)n);
    }
    return sum;
}
