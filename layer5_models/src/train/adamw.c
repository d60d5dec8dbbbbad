/* adamw.c - gradient clipping, and the AdamW update of the embedding and the gains; the
 * matrices inside the blocks have muon.c, unless there is no momentum.
 *
 *     m = b1 m + (1 - b1) g          v = b2 v + (1 - b2) g^2
 *     w = w - rate * ( m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps)  +  decay * w )
 *
 * Weight decay applies to matrices, not to gains.  The norm is summed in chunks of fixed size,
 * so that the result does not depend on the number of threads.
 *
 * Source   Loshchilov & Hutter 2017, arXiv:1711.05101, algorithm 2; clipping: Pascanu et al.
 *          2012, arXiv:1211.5063 */
#include "trainer.h"

#include <math.h>

typedef struct Update {
    Trainer *t;
    float scale, rate, decay, correction1, correction2;
    size_t first; /* offset of the tensor */
} Update;

static void square_chunks(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    Trainer *t = context;
    for (size_t c = begin; c < end; c++) {
        size_t from = c * TRAIN_CHUNK, size = min_size(t->size - from, TRAIN_CHUNK);
        t->partial[c] = (double)dot_f32(t->gradients + from, t->gradients + from, size);
    }
}

static double gradient_norm(Trainer *t) {
    size_t chunks = (t->size + TRAIN_CHUNK - 1) / TRAIN_CHUNK;
    pool_for(t->pool, chunks, 16, square_chunks, t);
    double sum = 0;
    for (size_t c = 0; c < chunks; c++) sum += t->partial[c];
    return sqrt(sum);
}

/* Numbers begin .. end - 1 of the tensor that starts at u->first in the flat arrays. */
static void update_range(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Update *u = context;
    const TrainConfig *c = &u->t->config;
    float b1 = (float)c->beta1, b2 = (float)c->beta2, eps = (float)c->epsilon;
    for (size_t i = u->first + begin; i < u->first + end; i++) {
        float g = u->t->gradients[i] * u->scale, *w = &u->t->values[i];
        float m = u->t->moment1[i] = b1 * u->t->moment1[i] + (1 - b1) * g;
        float v = u->t->moment2[i] = b2 * u->t->moment2[i] + (1 - b2) * g * g;
        *w -=
            u->rate * (m * u->correction1 / (sqrtf(v * u->correction2) + eps) + u->decay * *w);
    }
}

double train_update(Trainer *t, double rate) {
    const TrainConfig *c = &t->config;
    double norm = gradient_norm(t), round = (double)(t->step + 1);
    Update u = {
        .t = t, .rate = (float)rate, .scale = norm > c->clip ? (float)(c->clip / norm) : 1};
    u.correction1 = (float)(1 / (1 - real_exp(round * real_log(c->beta1))));
    u.correction2 = (float)(1 / (1 - real_exp(round * real_log(c->beta2))));
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        if (c->momentum > 0 && p->rows > 1 && t->values + p->offset != t->weights.embedding) {
            train_update_matrix(t, p, u.scale, rate);
            continue;
        }
        u.first = p->offset;
        u.decay = p->rows > 1 ? (float)c->weight_decay : 0;
        pool_for(t->pool, p->rows * p->cols, 16384, update_range, &u);
    }
    return norm;
}
