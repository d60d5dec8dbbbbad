/* forward_backward.c - the whole model, forward and backward over a batch.  See train.h. */
#include "trainer.h"

#include <string.h>

/* Each row's rotary angles (positions restart with each document) and embedding. */
static void prepare(Trainer *t) {
    const TrainBatch *b = &t->batch;
    const TrainShape *s = &t->config.shape;
    t->run.n = b->n;
    t->run.sequences = (Sequences){b->start, b->documents};
    for (size_t d = 0; d < b->documents; d++)
        for (size_t i = b->start[d]; i < b->start[d + 1]; i++) {
            rope_angles(&t->run.rope, i - b->start[d], t->cosine + i * s->head_dim / 2,
                        t->sine + i * s->head_dim / 2);
            memcpy(t->x + i * s->dim, t->weights.embedding + (size_t)b->input[i] * s->dim,
                   s->dim * sizeof *t->x);
        }
}

typedef struct LossTask {
    Trainer *t;
    bool gradients;
} LossTask;

/* The weighted loss of rows begin .. end - 1; with gradients their logits are replaced by the
 * gradients of the mean loss per token. */
static void loss_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    LossTask *task = context;
    Trainer *t = task->t;
    size_t vocab = t->config.vocab;
    for (size_t i = begin; i < end; i++) {
        float *row = t->logits + i * vocab;
        size_t target = (size_t)t->batch.target[i];
        float weight = t->batch.weight[i], scale = weight / (float)t->batch.n;
        t->losses[i] = task->gradients ? cross_entropy_backward(row, vocab, target, scale)
                                       : cross_entropy(row, vocab, target);
        t->losses[i] *= (double)weight;
    }
}

static void norm_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    Trainer *t = context;
    size_t dim = t->config.shape.dim;
    for (size_t i = begin; i < end; i++)
        rms_norm(t->normed + i * dim, t->x + i * dim, t->weights.out_norm, dim,
                 t->config.shape.eps);
}

double train_forward(Trainer *t, bool gradients) {
    size_t n = t->batch.n, dim = t->config.shape.dim;
    if (gradients && t->elsewhere) return t->elsewhere(t);
    prepare(t);
    for (size_t l = 0; l < t->config.layers; l++)
        block_train_forward(&t->run, &t->weights.blocks[l], &t->saved[l], t->x);
    pool_for(t->pool, n, 32, norm_rows, t);
    linear_dense(t->pool, t->weights.embedding, t->config.vocab, dim, t->normed, n, t->logits,
                 t->run.matmul_scratch);
    LossTask task = {t, gradients};
    pool_for(t->pool, n, 16, loss_rows, &task);
    double loss = 0;
    for (size_t i = 0; i < n; i++) loss += t->losses[i];
    return loss;
}

void train_backward(Trainer *t) {
    size_t n = t->batch.n, dim = t->config.shape.dim;
    float *dnormed = t->run.grad_a, *dx = t->normed; /* the norm's output is no longer needed */
    if (t->elsewhere) return;                        /* it has the gradients */
    memset(t->gradients, 0, t->size * sizeof *t->gradients);
    linear_backward(t->pool, dnormed, false, t->grads.embedding, t->weights.embedding,
                    t->config.vocab, dim, t->normed, t->logits, n, t->run.matmul_scratch);
    memset(dx, 0, n * dim * sizeof *dx);
    for (size_t i = 0; i < n; i++)
        rms_norm_backward(dx + i * dim, t->grads.out_norm, t->x + i * dim, t->weights.out_norm,
                          dnormed + i * dim, dim, t->config.shape.eps);
    for (size_t l = t->config.layers; l-- > 0;)
        block_train_backward(&t->run, &t->weights.blocks[l], &t->grads.blocks[l], &t->saved[l],
                             dx);
    for (size_t i = 0; i < n; i++)
        embedding_backward(t->grads.embedding, (size_t)t->batch.input[i], dx + i * dim, dim);
}
