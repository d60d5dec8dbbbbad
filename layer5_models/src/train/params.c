/* params.c - what a model learns: its tensors, their memory and their first values. */
#include "trainer.h"

#include "roles.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

TrainConfig train_config_storyteller(void) {
    return (TrainConfig){
        .shape = {.dim = 256,
                  .hidden = 512,
                  .heads = 8,
                  .kv_heads = 4,
                  .head_dim = 32,
                  .eps = 1e-5f},
        .layers = 3,
        .vocab = 2048,
        .ctx = 1024,
        .rope_theta = 10000,
        .seed = 1,
        .steps = 17000,
        .warmup = 200,
        .batch_tokens = 2048,
        .learning_rate = 1.4e-3,
        .momentum = 0.95,
        .final_rate = 2e-5,
        .beta1 = 0.9,
        .beta2 = 0.95,
        .epsilon = 1e-8,
        .weight_decay = 0.05,
        .clip = 1,
    };
}

TrainConfig train_config_draft(void) {
    TrainConfig config = train_config_storyteller();
    config.shape.hidden = 256;
    config.shape.heads = 4;
    config.shape.kv_heads = 1;
    config.shape.head_dim = 64;
    config.layers = 1;
    config.steps = 1500;
    return config;
}

/* The next stretch of the flat array; returns where it starts. */
static size_t add(Trainer *t, size_t *used, const char *name, size_t rows, size_t cols) {
    size_t offset = *used;
    if (t->parameters) {
        Parameter *p = &t->parameters[t->n_parameters];
        *p = (Parameter){.offset = offset, .rows = rows, .cols = cols};
        snprintf(p->name, sizeof p->name, "%s", name);
    }
    t->n_parameters++;
    *used += rows * cols;
    return offset;
}

static float *at(float *base, size_t offset) { return base ? base + offset : NULL; }

/* What a layer of this shape has, as the table of roles measures it. */
static LayerSizes layer_of(const TrainShape *s) {
    return (LayerSizes){.dim = s->dim,
                        .heads = s->heads,
                        .kv_heads = s->kv_heads,
                        .head_dim = s->head_dim,
                        .value_dim = s->head_dim,
                        .hidden = s->hidden};
}

static void add_block(Trainer *t, size_t layer, size_t *used) {
    const LayerSizes sizes = layer_of(&t->config.shape);
    static const struct {
        RoleId id;
        size_t place;
    } tensors[] = {
        {ROLE_ATTN_NORM, offsetof(TrainBlock, attn_norm)},
        {ROLE_ATTN_Q, offsetof(TrainBlock, q)},
        {ROLE_ATTN_K, offsetof(TrainBlock, k)},
        {ROLE_ATTN_V, offsetof(TrainBlock, v)},
        {ROLE_ATTN_OUTPUT, offsetof(TrainBlock, o)},
        {ROLE_FFN_NORM, offsetof(TrainBlock, ffn_norm)},
        {ROLE_FFN_GATE, offsetof(TrainBlock, gate)},
        {ROLE_FFN_UP, offsetof(TrainBlock, up)},
        {ROLE_FFN_DOWN, offsetof(TrainBlock, down)},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        const Role *role = role_of(tensors[i].id);
        char name[48];
        block_tensor_name(name, sizeof name, layer, role->name, "weight");
        size_t offset =
            add(t, used, name, extent_of(role->rows, &sizes), extent_of(role->cols, &sizes));
        *(float **)((char *)&t->weights.blocks[layer] + tensors[i].place) =
            at(t->values, offset);
        *(float **)((char *)&t->grads.blocks[layer] + tensors[i].place) =
            at(t->gradients, offset);
    }
}

static size_t layout_parameters(Trainer *t) {
    size_t used = 0;
    t->n_parameters = 0;
    size_t embedding = add(t, &used, "token_embd.weight", t->config.vocab, t->config.shape.dim);
    t->weights.embedding = at(t->values, embedding),
    t->grads.embedding = at(t->gradients, embedding);
    for (size_t l = 0; l < t->config.layers; l++) add_block(t, l, &used);
    size_t norm = add(t, &used, "output_norm.weight", 1, t->config.shape.dim);
    t->weights.out_norm = at(t->values, norm), t->grads.out_norm = at(t->gradients, norm);
    return used;
}

size_t train_parameters(const TrainConfig *config) {
    Trainer measure = {.config = *config};
    return layout_parameters(&measure);
}

static void layout_batch(Trainer *t) {
    const TrainShape *s = &t->config.shape;
    Arena *a = &t->arena;
    size_t n = t->rows, f = sizeof(float), wide = s->heads * s->head_dim,
           narrow = s->kv_heads * s->head_dim;
    int threads = pool_threads(t->pool);
    t->batch.input = arena_take(a, n, sizeof(int32_t));
    t->batch.target = arena_take(a, n, sizeof(int32_t));
    t->batch.weight = arena_take(a, n, f);
    t->batch.start = arena_take(a, TRAIN_MAX_DOCUMENTS + 1, sizeof(size_t));
    for (size_t l = 0; l < t->config.layers; l++) {
        TrainSaved *v = &t->saved[l];
        v->x = arena_take(a, n * s->dim, f), v->normed = arena_take(a, n * s->dim, f);
        v->q = arena_take(a, n * wide, f), v->k = arena_take(a, n * narrow, f),
        v->v = arena_take(a, n * narrow, f);
        v->mixed = arena_take(a, n * wide, f), v->middle = arena_take(a, n * s->dim, f);
        v->ffn_normed = arena_take(a, n * s->dim, f), v->gate = arena_take(a, n * s->hidden, f);
        v->up = arena_take(a, n * s->hidden, f), v->act = arena_take(a, n * s->hidden, f);
    }
    size_t widest = max_size(max_size(s->dim, s->hidden), max_size(wide, 2 * narrow));
    t->run.grad_a = arena_take(a, n * widest, f);
    t->run.grad_b = arena_take(a, n * widest, f);
    t->run.grad_c = arena_take(a, n * widest, f);
    t->run.matmul_scratch =
        arena_take(a, matmul_scratch_floats(threads, max_size(widest, t->config.vocab)), f);
    t->run.attn_scratch = arena_take(a, attention_scratch_floats(threads, t->config.ctx), f);
    t->cosine = arena_take(a, n * s->head_dim / 2, f);
    t->sine = arena_take(a, n * s->head_dim / 2, f);
    t->x = arena_take(a, n * s->dim, f);
    t->normed = arena_take(a, n * s->dim, f);
    t->logits = arena_take(a, n * t->config.vocab, f);
    t->losses = arena_take(a, n, sizeof(double));
    t->partial = arena_take(a, t->size / 4096 + 1, sizeof(double));
    size_t side = max_size(s->dim, wide);
    t->muon.update = arena_take(a, side * max_size(side, s->hidden), f);
    t->muon.product = arena_take(a, side * max_size(side, s->hidden), f);
    t->muon.gram = arena_take(a, side * side, f);
    t->muon.power = arena_take(a, side * side, f);
}

void train_layout(Trainer *t) {
    Arena *a = &t->arena;
    const TrainConfig *c = &t->config;
    t->size = train_parameters(c);
    t->rows = c->batch_tokens + c->ctx;
    t->values = arena_take(a, t->size, sizeof(float));
    t->gradients = arena_take(a, t->size, sizeof(float));
    t->moment1 = arena_take(a, t->size, sizeof(float));
    t->moment2 = arena_take(a, t->size, sizeof(float));
    t->parameters = arena_take(a, 2 + 9 * c->layers, sizeof(Parameter));
    layout_parameters(t);
    RopeConfig rope = {.style = ROPE_INTERLEAVED,
                       .rotary = c->shape.head_dim,
                       .theta = c->rope_theta,
                       .factor = 1};
    rope_init(&t->run.rope, &rope, a);
    layout_batch(t);
    t->run.pool = t->pool;
    t->run.shape = c->shape;
    t->run.cosine = t->cosine, t->run.sine = t->sine;
}

/* Matrices that write into the residual stream start smaller: 2 * layers of them add up. */
static double deviation(const Trainer *t, const Parameter *p) {
    bool into_stream = strstr(p->name, "attn_output") || strstr(p->name, "ffn_down");
    return into_stream ? 0.02 / sqrt(2 * (double)t->config.layers) : 0.02;
}

/* A head starts by saying what it looks at: output = value transposed.  What is left to learn is
 * where to look, and that has a gradient from the first step on.  In the spirit of Trockman &
 * Kolter 2023, arXiv:2305.09828 (initialize the products of weights that trained models have). */
static void start_copying(Trainer *t, const TrainBlock *block) {
    const TrainShape *s = &t->config.shape;
    size_t wide = s->heads * s->head_dim, group = s->heads / s->kv_heads;
    for (size_t h = 0; h < s->heads; h++)
        for (size_t i = 0; i < s->head_dim; i++)
            for (size_t j = 0; j < s->dim; j++)
                block->o[j * wide + h * s->head_dim + i] =
                    block->v[(h / group * s->head_dim + i) * s->dim + j];
}

void train_initialize(Trainer *t) {
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        Rng rng = {t->config.seed, i, 0};
        double sigma = deviation(t, p);
        for (size_t k = 0; k < p->rows * p->cols; k++)
            t->values[p->offset + k] = p->rows == 1 ? 1 : (float)(sigma * rng_normal(&rng));
    }
    for (size_t l = 0; l < t->config.layers; l++) start_copying(t, &t->weights.blocks[l]);
}
