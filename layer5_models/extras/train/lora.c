/* lora.c - training a LoRA while the weights stay as they are.  See train_lora.h.
 *
 *     W' = W + s B A      A (rank, in) random, B (out, rank) zero at first: then W' is W
 *
 * The forward and the backward pass run with W' and give dW', from which by the chain rule
 *
 *     dB = s dW' A^T      dA = s B^T dW'
 *
 * and AdamW updates A and B.  Programs for large models never store dW', they go through A and
 * B directly; the numbers are the same.
 *
 * Source   Hu et al. 2021, arXiv:2106.09685, section 4.1 */
#include "train/trainer.h"
#include "train_lora.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix's pair A, B. */
typedef struct Thin {
    const Parameter *wide;
    size_t a, b; /* offsets of A and B in the adapter's numbers */
} Thin;

typedef struct TrainLora {
    size_t rank, count, size; /* matrices; numbers of all A and B */
    float alpha, scale;
    Thin *thin;      /* (count) owns */
    Parameter *flat; /* (count) owns: A and B of a matrix as one vector, for the optimizer */
    float *base;     /* owns; the original weights */
    float *values, *gradients, *moment1, *moment2; /* (size) own */
} TrainLora;

static void lora_drop(TrainLora *lora) {
    free(lora->thin), free(lora->flat), free(lora->base);
    free(lora->values), free(lora->gradients), free(lora->moment1), free(lora->moment2);
    free(lora);
}

/* ------------------------------------------------------------------ there and back */

typedef struct Task {
    const Trainer *t;
    const TrainLora *lora;
    const Thin *thin;
} Task;

static void merge_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Task *task = context;
    const TrainLora *l = task->lora;
    size_t cols = task->thin->wide->cols;
    const float *a = l->values + task->thin->a, *b = l->values + task->thin->b;
    for (size_t r = begin; r < end; r++) {
        size_t at = task->thin->wide->offset + r * cols;
        memcpy(task->t->values + at, l->base + at, cols * sizeof *a);
        for (size_t k = 0; k < l->rank; k++)
            axpy(task->t->values + at, l->scale * b[r * l->rank + k], a + k * cols, cols);
    }
}

/* Rows of dB: a row of dW' times the rows of A. */
static void b_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Task *task = context;
    const TrainLora *l = task->lora;
    size_t cols = task->thin->wide->cols;
    for (size_t r = begin; r < end; r++)
        for (size_t k = 0; k < l->rank; k++)
            l->gradients[task->thin->b + r * l->rank + k] =
                l->scale * dot_f32(task->t->gradients + task->thin->wide->offset + r * cols,
                                   l->values + task->thin->a + k * cols, cols);
}

/* Rows of dA: the rows of dW', weighted by a column of B. */
static void a_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Task *task = context;
    const TrainLora *l = task->lora;
    const Parameter *w = task->thin->wide;
    for (size_t k = begin; k < end; k++) {
        float *da = l->gradients + task->thin->a + k * w->cols;
        memset(da, 0, w->cols * sizeof *da);
        for (size_t r = 0; r < w->rows; r++)
            axpy(da, l->scale * l->values[task->thin->b + r * l->rank + k],
                 task->t->gradients + w->offset + r * w->cols, w->cols);
    }
}

static void lora_merge(const Trainer *t) {
    for (size_t i = 0; i < t->lora->count; i++) {
        Task task = {t, t->lora, &t->lora->thin[i]};
        pool_for(t->pool, task.thin->wide->rows, 16, merge_rows, &task);
    }
}

static void find_gradients(const Trainer *t) {
    for (size_t i = 0; i < t->lora->count; i++) {
        Task task = {t, t->lora, &t->lora->thin[i]};
        pool_for(t->pool, task.thin->wide->rows, 16, b_rows, &task);
        pool_for(t->pool, t->lora->rank, 1, a_rows, &task);
    }
}

/* One step of AdamW on the adapter's numbers instead of the weights. */
static double update(Trainer *t, double rate) {
    const TrainLora *l = t->lora;
    Trainer thin = *t;
    thin.values = l->values, thin.gradients = l->gradients;
    thin.moment1 = l->moment1, thin.moment2 = l->moment2;
    thin.parameters = l->flat, thin.n_parameters = l->count, thin.size = l->size;
    return train_update(&thin, rate);
}

TrainStep trainer_step_lora(Trainer *t) {
    const TrainConfig *c = &t->config;
    double left = 1 - (double)t->step / (double)c->steps;
    train_load_batch(t, t->corpus, &t->next_document, SIZE_MAX);
    TrainStep result = {.rate = c->learning_rate * left}; /* linear decay to 0 */
    result.loss = train_forward(t, true) / (double)t->batch.n;
    train_backward(t);
    find_gradients(t);
    result.gradient_norm = update(t, result.rate);
    lora_merge(t);
    result.step = ++t->step;
    result.tokens = t->tokens_seen += t->batch.n;
    return result;
}

/* ------------------------------------------------------------------ begin and end */

/* Matrices inside blocks: not the embedding, not the gains. */
static bool is_adapted(const Trainer *t, const Parameter *p) {
    return p->rows > 1 && t->values + p->offset != t->weights.embedding;
}

static void lora_layout(Trainer *t, TrainLora *l) {
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        if (!is_adapted(t, p)) continue;
        size_t a = l->rank * p->cols, b = p->rows * l->rank;
        if (l->thin) {
            l->thin[l->count] = (Thin){p, l->size, l->size + a};
            l->flat[l->count] = (Parameter){.offset = l->size, .rows = 1, .cols = a + b};
        }
        l->count++, l->size += a + b;
    }
}

static bool allocate(Trainer *t, TrainLora *l, Fault *fault) {
    lora_layout(t, l);
    l->thin = calloc(l->count, sizeof *l->thin), l->flat = calloc(l->count, sizeof *l->flat);
    l->base = malloc(t->size * sizeof *l->base);
    float **arrays[] = {&l->values, &l->gradients, &l->moment1, &l->moment2};
    bool ok = l->thin && l->flat && l->base;
    for (int i = 0; i < 4; i++) ok = (*arrays[i] = calloc(l->size, sizeof **arrays[i])) && ok;
    if (!ok) return fault_set(fault, "no memory for an adapter of rank %zu", l->rank);
    l->count = l->size = 0;
    lora_layout(t, l);
    memcpy(l->base, t->values, t->size * sizeof *l->base);
    return true;
}

bool trainer_begin_lora(Trainer *t, size_t rank, Fault *fault) {
    TrainLora *l = t->lora = calloc(1, sizeof *l);
    if (!l) return fault_set(fault, "no memory for an adapter");
    t->drop_lora = lora_drop;
    l->rank = rank;
    l->alpha = (float)(2 * rank), l->scale = l->alpha / (float)rank;
    if (rank < 1 || rank > t->config.shape.dim)
        return fault_set(fault, "an adapter of rank %zu: wanted 1 to %zu, the model's width",
                         rank, t->config.shape.dim);
    if (!allocate(t, l, fault)) return false;
    Rng rng = {t->config.seed, 1, 0};
    for (size_t i = 0; i < l->count; i++) {
        size_t cols = l->thin[i].wide->cols;
        for (size_t k = 0; k < rank * cols; k++) /* so that A x is about as large as x */
            l->values[l->thin[i].a + k] = (float)(rng_normal(&rng) / sqrt((double)cols));
    }
    return true;
}

static void put_matrix(GgufWriter *out, const char *name, const char *which, size_t rows,
                       size_t cols, float *numbers) {
    char full[80];
    snprintf(full, sizeof full, "%s.%s", name, which);
    Tensor view = tensor_view(DTYPE_F32, 2, (size_t[]){rows, cols}, numbers);
    gguf_put_tensor(out, full, &view);
}

bool trainer_export_lora(const Trainer *t, const char *name, const char *path, Fault *fault) {
    const TrainLora *l = t->lora;
    GgufWriter *out = gguf_writer_open(fault);
    if (!out) return false;
    gguf_put_string(out, "general.type", text_of("adapter"));
    gguf_put_string(out, "general.architecture", text_of(train_family(&t->config)));
    gguf_put_string(out, "general.name", text_of(name));
    gguf_put_string(out, "adapter.type", text_of("lora"));
    gguf_put_float(out, "adapter.lora.alpha", GGUF_F32, (double)l->alpha);
    for (size_t i = 0; i < l->count; i++) {
        const Parameter *w = l->thin[i].wide;
        put_matrix(out, w->name, "lora_a", l->rank, w->cols, l->values + l->thin[i].a);
        put_matrix(out, w->name, "lora_b", w->rows, l->rank, l->values + l->thin[i].b);
    }
    bool ok = gguf_write_file(out, path, fault);
    gguf_writer_close(out);
    return ok;
}

size_t trainer_lora_parameters(const Trainer *t) { return t->lora->size; }
