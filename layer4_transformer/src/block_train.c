/* block_train.c - see block_train.h. */
#include "block_train.h"

#include <math.h>
#include <string.h>

/* What the loops over rows below need; each uses some of it. */
typedef struct RowTask {
    const TrainRun *run;
    const TrainSaved *saved;
    float *a, *b;
    const float *dy;
} RowTask;

static void normalize(const TrainRun *run, float *out, const float *x, const float *gain) {
    const size_t dim = run->shape.dim;
    const Norm norm = {.kind = NORM_RMS, .width = dim, .eps = run->shape.eps, .gain = gain};
    norm_apply_rows(run->pool, &norm, out, x, run->n, dim);
}

/* Rotate, or rotate back, q and k of each row by its position. */
typedef void Rotate(const Rope *rope, const float *cosine, const float *sine, float *head);

static void rotate_rows(const RowTask *t, size_t begin, size_t end, Rotate *rotate) {
    const TrainShape *s = &t->run->shape;
    for (size_t i = begin; i < end; i++) {
        const float *cosine = t->run->cosine + i * s->head_dim / 2,
                    *sine = t->run->sine + i * s->head_dim / 2;
        for (size_t h = 0; h < s->heads; h++)
            rotate(&t->run->rope, cosine, sine, t->a + (i * s->heads + h) * s->head_dim);
        for (size_t h = 0; h < s->kv_heads; h++)
            rotate(&t->run->rope, cosine, sine, t->b + (i * s->kv_heads + h) * s->head_dim);
    }
}

static void rope_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    rotate_rows(context, begin, end, rope_rotate);
}

static void rope_rows_backward(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    rotate_rows(context, begin, end, rope_rotate_backward);
}

static void swiglu_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const RowTask *t = context;
    size_t hidden = t->run->shape.hidden, at = begin * hidden;
    activate_gated(ACT_SILU, t->saved->act + at, t->saved->gate + at, t->saved->up + at,
                   (end - begin) * hidden);
}

static void swiglu_rows_backward(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const RowTask *t = context;
    size_t hidden = t->run->shape.hidden, at = begin * hidden;
    swiglu_backward(t->a + at, t->b + at, t->saved->gate + at, t->saved->up + at, t->dy + at,
                    (end - begin) * hidden);
}

static AttentionShape attention_shape(const TrainShape *s) {
    return (AttentionShape){.heads = s->heads,
                            .kv_heads = s->kv_heads,
                            .head_dim = s->head_dim,
                            .scale = 1 / sqrtf((float)s->head_dim),
                            .mask = {.causal = !s->bidirectional}};
}

static void add(float *x, const float *y, size_t n) { axpy(x, 1, y, n); }

size_t train_widest(const TrainShape *s) {
    size_t wide = s->heads * s->head_dim, narrow = s->kv_heads * s->head_dim,
           mixer = s->mixer ? s->mixer->widest(s) : max_size(wide, 2 * narrow);
    return max_size(max_size(s->dim, s->hidden), mixer);
}

static AttentionTask task_of(const TrainRun *run, const AttentionShape *shape,
                             const TrainSaved *saved) {
    AttentionTask task = {.shape = shape, .sequences = run->sequences, .out = saved->mixed};
    task.q = saved->q, task.k = saved->k, task.v = saved->v, task.scratch = run->attn_scratch;
    return task;
}

/* saved->middle = attention(saved->normed) */
static void attend(const TrainRun *run, const TrainBlock *w, TrainSaved *saved) {
    const TrainShape *s = &run->shape;
    size_t n = run->n, wide = s->heads * s->head_dim, narrow = s->kv_heads * s->head_dim;
    AttentionShape shape = attention_shape(s);
    const AttentionTask attention = task_of(run, &shape, saved);
    float *scratch = run->matmul_scratch;
    linear_dense(run->pool, w->q, wide, s->dim, saved->normed, n, saved->q, scratch);
    linear_dense(run->pool, w->k, narrow, s->dim, saved->normed, n, saved->k, scratch);
    linear_dense(run->pool, w->v, narrow, s->dim, saved->normed, n, saved->v, scratch);
    RowTask rotation = {.run = run, .a = saved->q, .b = saved->k};
    pool_for(run->pool, n, 32, rope_rows, &rotation);
    attention_sequences(run->pool, &attention);
    linear_dense(run->pool, w->o, s->dim, wide, saved->mixed, n, saved->middle, scratch);
}

void block_train_forward(const TrainRun *run, const TrainBlock *w, TrainSaved *saved,
                         float *x) {
    const TrainShape *s = &run->shape;
    size_t n = run->n;
    float *scratch = run->matmul_scratch;

    memcpy(saved->x, x, n * s->dim * sizeof *x);
    normalize(run, saved->normed, x, w->attn_norm);
    if (s->mixer)
        s->mixer->forward(run, w, saved);
    else
        attend(run, w, saved);
    add(x, saved->middle, n * s->dim);

    memcpy(saved->middle, x, n * s->dim * sizeof *x);
    normalize(run, saved->ffn_normed, x, w->ffn_norm);
    linear_dense(run->pool, w->gate, s->hidden, s->dim, saved->ffn_normed, n, saved->gate,
                 scratch);
    linear_dense(run->pool, w->up, s->hidden, s->dim, saved->ffn_normed, n, saved->up, scratch);
    RowTask swiglu = {.run = run, .saved = saved};
    pool_for(run->pool, n, 32, swiglu_rows, &swiglu);
    linear_dense(run->pool, w->down, s->dim, s->hidden, saved->act, n, run->grad_a, scratch);
    add(x, run->grad_a, n * s->dim);
}

/* Backward through x + ffn(norm'(x)): dx, in: of the sum; out: of x. */
static void feed_forward_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                                  const TrainSaved *saved, float *dx) {
    const TrainShape *s = &run->shape;
    size_t n = run->n;
    float *dact = run->grad_a, *dup = run->grad_b, *dnormed = run->grad_c;
    linear_backward(run->pool, dact, false, grad->down, w->down, s->dim, s->hidden, saved->act,
                    dx, n, run->matmul_scratch);
    RowTask swiglu = {.run = run, .saved = saved, .a = dact, .b = dup, .dy = dact};
    pool_for(run->pool, n, 32, swiglu_rows_backward, &swiglu);
    linear_backward(run->pool, dnormed, false, grad->gate, w->gate, s->hidden, s->dim,
                    saved->ffn_normed, dact, n, run->matmul_scratch);
    linear_backward(run->pool, dnormed, true, grad->up, w->up, s->hidden, s->dim,
                    saved->ffn_normed, dup, n, run->matmul_scratch);
    for (size_t i = 0; i < n; i++)
        rms_norm_backward(dx + i * s->dim, grad->ffn_norm, saved->middle + i * s->dim,
                          w->ffn_norm, dnormed + i * s->dim, s->dim, s->eps);
}

/* Backward through x + attention(norm(x)), in the same way. */
static void attend_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                            const TrainSaved *saved, float *dx) {
    const TrainShape *s = &run->shape;
    size_t n = run->n, wide = s->heads * s->head_dim, narrow = s->kv_heads * s->head_dim;
    AttentionShape shape = attention_shape(s);
    AttentionTask attention = task_of(run, &shape, saved);
    float *dmixed = run->grad_a, *dq = run->grad_b, *dk = run->grad_c, *dv = dk + n * narrow,
          *dnormed = run->grad_a; /* dmixed is used up by then */
    attention.dout = dmixed, attention.dq = dq, attention.dk = dk, attention.dv = dv;
    linear_backward(run->pool, dmixed, false, grad->o, w->o, s->dim, wide, saved->mixed, dx, n,
                    run->matmul_scratch);
    attention_backward(run->pool, &attention);
    RowTask rotation = {.run = run, .a = dq, .b = dk};
    pool_for(run->pool, n, 32, rope_rows_backward, &rotation);
    linear_backward(run->pool, dnormed, false, grad->q, w->q, wide, s->dim, saved->normed, dq,
                    n, run->matmul_scratch);
    linear_backward(run->pool, dnormed, true, grad->k, w->k, narrow, s->dim, saved->normed, dk,
                    n, run->matmul_scratch);
    linear_backward(run->pool, dnormed, true, grad->v, w->v, narrow, s->dim, saved->normed, dv,
                    n, run->matmul_scratch);
    for (size_t i = 0; i < n; i++)
        rms_norm_backward(dx + i * s->dim, grad->attn_norm, saved->x + i * s->dim, w->attn_norm,
                          dnormed + i * s->dim, s->dim, s->eps);
}

void block_train_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                          const TrainSaved *saved, float *dx) {
    feed_forward_backward(run, w, grad, saved, dx);
    if (run->shape.mixer)
        run->shape.mixer->backward(run, w, grad, saved, dx);
    else
        attend_backward(run, w, grad, saved, dx);
}
