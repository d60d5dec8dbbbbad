/* train_delta.c - see train_delta.h.  The forward pass is that of mixer_delta.c for whole
 * sequences. */
#include "train_delta.h"

#include "short_conv_train.h"

#include <math.h>
#include <string.h>

enum { ROWS = 32 }; /* rows per task */

typedef struct RowTask {
    const TrainRun *run;
    const TrainDelta *w;
    TrainSaved *saved;
} RowTask;

static DeltaShape delta_shape(const TrainShape *s) {
    return (DeltaShape){.heads = s->heads, .keys = s->kv_heads, .d = s->head_dim};
}

static ConvShape conv_shape(const TrainShape *s) {
    return (ConvShape){.channels = train_channels(s), .taps = s->taps};
}

static float sigmoid_of(float x) { return 1 / (1 + (float)real_exp(-(double)x)); }

/* q and k of length 1, beta in 0 .. 1, rate = log(decay) < 0. */
static void read_rows(void *context, int worker, size_t begin, size_t end) {
    const RowTask *t = context;
    const TrainShape *s = &t->run->shape;
    const TrainDeltaSaved *saved = t->saved->mixer;
    size_t channels = train_channels(s);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *row = saved->rows.qkv + i * channels, *beta = saved->rows.beta + i * s->heads,
              *rate = saved->rows.rate + i * s->heads;
        silu(row, saved->conv + i * channels, channels);
        for (size_t h = 0; h < 2 * s->kv_heads; h++)
            l2_norm(row + h * s->head_dim, s->head_dim, s->eps);
        for (size_t h = 0; h < s->heads; h++) {
            beta[h] = sigmoid_of(beta[h]);
            rate[h] = saved->alpha[i * s->heads + h] + t->w->bias[h];
        }
        softplus(rate, rate, s->heads);
        for (size_t h = 0; h < s->heads; h++)
            rate[h] *= (float)-real_exp((double)t->w->rate[h]);
    }
}

/* mixed = norm(output of the state) * silu(z). */
static void train_delta_gate_rows(void *context, int worker, size_t begin, size_t end) {
    const RowTask *t = context;
    const TrainShape *s = &t->run->shape;
    const TrainDeltaSaved *saved = t->saved->mixer;
    size_t d = s->head_dim, wide = s->heads * d;
    float normed[DELTA_DIM];
    (void)worker;
    for (size_t at = begin * wide; at < end * wide; at += d) {
        rms_norm(normed, saved->read + at, t->w->norm, d, s->eps);
        activate_gated(ACT_SILU, t->saved->mixed + at, saved->z + at, normed, d);
    }
}

static void train_delta(const TrainRun *run, const TrainBlock *block, TrainSaved *saved) {
    const TrainShape *s = &run->shape;
    const TrainDelta *w = block->mixer;
    size_t n = run->n, wide = s->heads * s->head_dim;
    DeltaShape shape = delta_shape(s);
    TrainDeltaSaved *d = saved->mixer;
    float *scratch = run->matmul_scratch;
    RowTask task = {run, w, saved};
    linear_dense(run->pool, w->qkv, train_channels(s), s->dim, saved->normed, n, d->in,
                 scratch);
    linear_dense(run->pool, w->gate, wide, s->dim, saved->normed, n, d->z, scratch);
    linear_dense(run->pool, w->alpha, s->heads, s->dim, saved->normed, n, d->alpha, scratch);
    linear_dense(run->pool, w->beta, s->heads, s->dim, saved->normed, n, d->rows.beta, scratch);
    conv_sequences(run->pool, conv_shape(s), run->sequences, w->taps, d->in, d->conv);
    pool_for(run->pool, n, ROWS, read_rows, &task);
    delta_sequences(run->pool, &shape, run->sequences, &d->rows, d->read, run->attn_scratch);
    pool_for(run->pool, n, ROWS, train_delta_gate_rows, &task);
    linear_dense(run->pool, w->out, s->dim, wide, saved->mixed, n, saved->middle, scratch);
}

/* ------------------------------------------------------------------ backward */

/* dmixed (n, wide) becomes the gradient of the state's output; dz (n, wide) is written. */
static void gate_backward(const TrainRun *run, const TrainDelta *w, TrainDelta *grad,
                          const TrainSaved *saved, float *dmixed, float *dz) {
    const TrainShape *s = &run->shape;
    const TrainDeltaSaved *v = saved->mixer;
    size_t d = s->head_dim;
    float normed[DELTA_DIM], dnormed[DELTA_DIM];
    for (size_t at = 0; at < run->n * s->heads * d; at += d) {
        const float *read = v->read + at;
        rms_norm(normed, read, w->norm, d, s->eps);
        swiglu_backward(dz + at, dnormed, v->z + at, normed, dmixed + at, d);
        memset(dmixed + at, 0, d * sizeof *dmixed);
        rms_norm_backward(dmixed + at, grad->norm, read, w->norm, dnormed, d, s->eps);
    }
}

/* Gradients by q, k, v, beta and rate become those by the convolution's output and by the maps
 * of beta and alpha; those of rate and bias are added to. */
static void read_backward(const TrainRun *run, const TrainDelta *w, TrainDelta *grad,
                          const TrainSaved *saved, const DeltaRows *d) {
    const TrainShape *s = &run->shape;
    size_t channels = train_channels(s), both = 2 * s->kv_heads * s->head_dim;
    const TrainDeltaSaved *v = saved->mixer;
    for (size_t i = 0; i < run->n; i++) {
        float *row = d->qkv + i * channels, activated[DELTA_DIM];
        const float *conv = v->conv + i * channels;
        for (size_t at = 0; at < both; at += s->head_dim) {
            silu(activated, conv + at, s->head_dim);
            l2_norm_backward(row + at, activated, row + at, s->head_dim, s->eps);
        }
        silu_backward(row, conv, row, channels);
        for (size_t h = 0, at = i * s->heads; h < s->heads; h++, at++) {
            float beta = v->rows.beta[at], slope = sigmoid_of(v->alpha[at] + w->bias[h]);
            d->beta[at] *= beta * (1 - beta);
            grad->rate[h] += d->rate[at] * v->rows.rate[at];
            d->rate[at] *= (float)-real_exp((double)w->rate[h]) * slope;
            grad->bias[h] += d->rate[at];
        }
    }
}

/* Backward through the four maps: weight gradients are added to, dnormed is written. */
static void maps_backward(const TrainRun *run, const TrainDelta *w, TrainDelta *grad,
                          const TrainSaved *saved, const DeltaRows *d, const float *dz,
                          float *dnormed) {
    const TrainShape *s = &run->shape;
    const struct {
        float *dw;
        const float *w, *dy;
        size_t rows;
    } maps[] = {{grad->qkv, w->qkv, d->qkv, train_channels(s)},
                {grad->gate, w->gate, dz, s->heads * s->head_dim},
                {grad->alpha, w->alpha, d->rate, s->heads},
                {grad->beta, w->beta, d->beta, s->heads}};
    for (size_t i = 0; i < 4; i++)
        linear_backward(run->pool, dnormed, i > 0, maps[i].dw, maps[i].w, maps[i].rows, s->dim,
                        saved->normed, maps[i].dy, run->n, run->matmul_scratch);
}

static void train_delta_backward(const TrainRun *run, const TrainBlock *block,
                                 TrainBlock *gradients, const TrainSaved *saved, float *dx) {
    const TrainShape *s = &run->shape;
    const TrainDelta *w = block->mixer;
    const TrainDeltaSaved *v = saved->mixer;
    TrainDelta *grad = gradients->mixer;
    size_t n = run->n, wide = s->heads * s->head_dim;
    DeltaShape shape = delta_shape(s);
    float *dmixed = run->grad_a, *dz = run->grad_b, *din = run->grad_a, *dnormed = run->grad_c;
    DeltaRows rows = {run->grad_c, dz + n * wide, dz + n * (wide + s->heads)};
    linear_backward(run->pool, dmixed, false, grad->out, w->out, s->dim, wide, saved->mixed, dx,
                    n, run->matmul_scratch);
    gate_backward(run, w, grad, saved, dmixed, dz);
    delta_backward(run->pool, &shape, run->sequences, &v->rows, dmixed, &rows,
                   run->attn_scratch);
    read_backward(run, w, grad, saved, &rows);
    conv_backward(run->pool, conv_shape(s), run->sequences, w->taps, v->in, rows.qkv, din,
                  grad->taps);
    rows.qkv = din;
    maps_backward(run, w, grad, saved, &rows, dz, dnormed);
    for (size_t i = 0; i < n; i++)
        rms_norm_backward(dx + i * s->dim, gradients->attn_norm, saved->x + i * s->dim,
                          block->attn_norm, dnormed + i * s->dim, s->dim, s->eps);
}

static size_t train_delta_widest(const TrainShape *s) {
    return train_channels(s) + 2 * s->heads;
}

static size_t train_delta_scratch(const TrainShape *s, int threads, size_t longest) {
    return delta_scratch_floats(threads, s->head_dim, longest);
}

const TrainMixer train_delta_mixer = {"delta", train_delta, train_delta_backward,
                                      train_delta_widest, train_delta_scratch};
