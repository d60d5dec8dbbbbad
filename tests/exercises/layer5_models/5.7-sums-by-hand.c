/* right: the way back with scratch of its own for the stream, rows of the embedding added by hand */
#include <stdlib.h>

void train_backward(Trainer *t) {
    size_t n = t->batch.n, dim = t->config.shape.dim;
    if (t->elsewhere != NULL) return;
    float *dx = calloc(n * dim, sizeof *dx), *dnormed = t->run.grad_b;
    for (size_t i = 0; i < t->size; i++) t->gradients[i] = 0;
    linear_backward(t->pool, dnormed, false, t->grads.embedding, t->weights.embedding,
                    t->config.vocab, dim, t->normed, t->logits, n, t->run.matmul_scratch);
    for (size_t i = 0; i < n; i++)
        rms_norm_backward(dx + i * dim, t->grads.out_norm, t->x + i * dim, t->weights.out_norm,
                          dnormed + i * dim, dim, t->config.shape.eps);
    for (int l = (int)t->config.layers - 1; l >= 0; l--)
        block_train_backward(&t->run, &t->weights.blocks[l], &t->grads.blocks[l], &t->saved[l],
                             dx);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < dim; k++)
            t->grads.embedding[(size_t)t->batch.input[i] * dim + k] += dx[i * dim + k];
    free(dx);
}
