/* params.c - the learned tensors, their memory and initial values. */
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
                  .eps = 1e-5f,
                  .taps = 4},
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

enum { MOST_TENSORS = 14 }; /* of a block */

size_t train_add(Trainer *t, size_t *used, const char *name, size_t rows, size_t cols) {
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

void train_point(Trainer *t, void *weights, void *gradients, size_t field, size_t offset) {
    *(float **)((char *)weights + field) = at(t->values, offset);
    *(float **)((char *)gradients + field) = at(t->gradients, offset);
}

/* Sizes of a layer of this shape, for the table of roles. */
static LayerSizes params_layer_of(const TrainShape *s) {
    LayerSizes sizes = {.dim = s->dim,
                        .heads = s->heads,
                        .kv_heads = s->kv_heads,
                        .head_dim = s->head_dim,
                        .value_dim = s->head_dim,
                        .hidden = s->hidden};
    layer_widths(&sizes);
    return sizes;
}

/* A tensor of a block: its role, and the offset of its pointer in a TrainBlock. */
typedef struct Place {
    RoleId id;
    size_t at;
} Place;

#define PLACE(ID, FIELD) \
    { ROLE_##ID, offsetof(TrainBlock, FIELD) }

static const Place mixer_tensors[] = {PLACE(ATTN_NORM, attn_norm),
                                      PLACE(ATTN_Q, q),
                                      PLACE(ATTN_K, k),
                                      PLACE(ATTN_V, v),
                                      PLACE(ATTN_OUTPUT, o),
                                      PLACE(FFN_NORM, ffn_norm)},
                   network_tensors[] = {PLACE(FFN_GATE, gate), PLACE(FFN_UP, up),
                                        PLACE(FFN_DOWN, down)};

static void add_tensor(Trainer *t, size_t layer, const Place *place, size_t *used) {
    const LayerSizes sizes = params_layer_of(&t->config.shape);
    const Role *role = role_of(place->id);
    char name[48];
    block_tensor_name(name, sizeof name, layer, role->name, "weight");
    size_t offset = train_add(t, used, name, role->rows(&sizes), role->cols(&sizes));
    train_point(t, &t->weights.blocks[layer], &t->grads.blocks[layer], place->at, offset);
}

static void add_block(Trainer *t, size_t layer, size_t *used) {
    const TrainFamily *family = t->config.family;
    if (family)
        family->add_mixer(t, layer, used);
    else
        for (size_t i = 0; i < sizeof mixer_tensors / sizeof *mixer_tensors; i++)
            add_tensor(t, layer, &mixer_tensors[i], used);
    for (size_t i = 0; i < 3; i++) add_tensor(t, layer, &network_tensors[i], used);
}

static size_t layout_parameters(Trainer *t) {
    size_t used = 0;
    t->n_parameters = 0;
    size_t embedding =
        train_add(t, &used, "token_embd.weight", t->config.vocab, t->config.shape.dim);
    t->weights.embedding = at(t->values, embedding),
    t->grads.embedding = at(t->gradients, embedding);
    for (size_t l = 0; l < t->config.layers; l++) add_block(t, l, &used);
    size_t norm = train_add(t, &used, "output_norm.weight", 1, t->config.shape.dim);
    t->weights.out_norm = at(t->values, norm), t->grads.out_norm = at(t->gradients, norm);
    return used;
}

size_t train_parameters(const TrainConfig *config) {
    Trainer measure = {.config = *config};
    arena_measure(&measure.arena);
    return layout_parameters(&measure);
}

/* What the mixer of a layer saves for the backward pass. */
static void layout_mixer(Trainer *t, TrainSaved *v) {
    const TrainShape *s = &t->config.shape;
    Arena *a = &t->arena;
    size_t n = t->rows, f = sizeof(float), wide = s->heads * s->head_dim,
           narrow = s->kv_heads * s->head_dim;
    v->mixed = arena_take(a, n * wide, f);
    if (t->config.family) {
        t->config.family->layout_saved(t, v);
        return;
    }
    v->q = arena_take(a, n * wide, f);
    v->k = arena_take(a, n * narrow, f), v->v = arena_take(a, n * narrow, f);
}

static void layout_muon(Trainer *t, size_t wide) {
    const TrainShape *s = &t->config.shape;
    size_t side = max_size(s->dim, wide), f = sizeof(float),
           longest = s->mixer ? train_channels(s) : side,
           numbers = side * max_size(longest, s->hidden);
    t->muon.update = arena_take(&t->arena, numbers, f);
    t->muon.product = arena_take(&t->arena, numbers, f);
    t->muon.gram = arena_take(&t->arena, side * side, f);
    t->muon.power = arena_take(&t->arena, side * side, f);
}

static void layout_batch(Trainer *t) {
    const TrainShape *s = &t->config.shape;
    Arena *a = &t->arena;
    size_t n = t->rows, f = sizeof(float), wide = s->heads * s->head_dim,
           widest = train_widest(s);
    int threads = pool_threads(t->pool);
    t->batch.input = arena_take(a, n, sizeof(int32_t));
    t->batch.target = arena_take(a, n, sizeof(int32_t));
    t->batch.weight = arena_take(a, n, f);
    t->batch.start = arena_take(a, TRAIN_MAX_DOCUMENTS + 1, sizeof(size_t));
    for (size_t l = 0; l < t->config.layers; l++) {
        TrainSaved *v = &t->saved[l];
        layout_mixer(t, v);
        v->x = arena_take(a, n * s->dim, f), v->normed = arena_take(a, n * s->dim, f);
        v->middle = arena_take(a, n * s->dim, f), v->ffn_normed = arena_take(a, n * s->dim, f);
        v->gate = arena_take(a, n * s->hidden, f), v->up = arena_take(a, n * s->hidden, f);
        v->act = arena_take(a, n * s->hidden, f);
    }
    t->run.grad_a = arena_take(a, n * widest, f);
    t->run.grad_b = arena_take(a, n * widest, f);
    t->run.grad_c = arena_take(a, n * widest, f);
    t->run.matmul_scratch =
        arena_take(a, matmul_scratch_floats(threads, max_size(widest, t->config.vocab)), f);
    t->run.attn_scratch =
        arena_take(a,
                   s->mixer ? s->mixer->scratch(s, threads, t->config.ctx)
                            : attention_scratch_floats(threads, t->config.ctx),
                   f);
    t->cosine = arena_take(a, n * s->head_dim / 2, f);
    t->sine = arena_take(a, n * s->head_dim / 2, f);
    t->x = arena_take(a, n * s->dim, f);
    t->normed = arena_take(a, n * s->dim, f);
    t->logits = arena_take(a, n * t->config.vocab, f);
    t->losses = arena_take(a, n, sizeof(double));
    t->partial = arena_take(a, t->size / TRAIN_CHUNK + 1, sizeof(double));
    layout_muon(t, wide);
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
    t->parameters = arena_take(a, 2 + MOST_TENSORS * c->layers, sizeof(Parameter));
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
    bool into_stream = strstr(p->name, "attn_output") || strstr(p->name, "ssm_out") ||
                       strstr(p->name, "ffn_down");
    return into_stream ? 0.02 / sqrt(2 * (double)t->config.layers) : 0.02;
}

/* Attention starts by copying: output = value transposed.  What is left to learn is where to
 * look, which has a gradient from the first step on.  In the spirit of Trockman & Kolter
 * 2023, arXiv:2305.09828 (initialize products of weights as trained models have them). */
static void start_copying(Trainer *t, const TrainBlock *block) {
    const TrainShape *s = &t->config.shape;
    size_t wide = s->heads * s->head_dim, group = s->heads / s->kv_heads;
    const float *v = block->v;
    float *out = block->o;
    if (t->config.family) /* each head has its own values */
        t->config.family->values_and_output(s, block, &v, &out), group = 1;
    for (size_t h = 0; h < s->heads; h++)
        for (size_t i = 0; i < s->head_dim; i++)
            for (size_t j = 0; j < s->dim; j++)
                out[j * wide + h * s->head_dim + i] =
                    v[(h / group * s->head_dim + i) * s->dim + j];
}

/* The initial value of a vector's number: gains are 1. */
static float first_of_vector(const Trainer *t, const Parameter *p, double u) {
    return t->config.family ? t->config.family->first_of_vector(p, u) : 1;
}

void train_initialize(Trainer *t) {
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        Rng rng = {t->config.seed, i, 0};
        double sigma = deviation(t, p);
        for (size_t k = 0; k < p->rows * p->cols; k++)
            t->values[p->offset + k] =
                p->rows == 1 ? first_of_vector(t, p, rng_unit(t->config.seed, i, k))
                             : (float)(sigma * rng_normal(&rng));
    }
    for (size_t l = 0; l < t->config.layers; l++) start_copying(t, &t->weights.blocks[l]);
}
