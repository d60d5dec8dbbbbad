/* delta_family.c - see train_families.h; the mixer: train_delta.h in layer 4. */
#include "train/trainer.h"
#include "train_delta.h"
#include "train_families.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool check_delta(const TrainConfig *c, Fault *fault) {
    const TrainShape *s = &c->shape;
    if (s->taps < 2 || s->taps > 64 || s->head_dim > DELTA_DIM)
        return fault_set(fault, "%zu taps, heads of %zu: a delta net wants 2 to 64, up to %d",
                         s->taps, s->head_dim, DELTA_DIM);
    return !s->bidirectional ||
           fault_set(fault, "a recurrent mixer is causal: it cannot fill masked positions");
}

/* Weights and gradients of a layer's mixer. */
typedef struct DeltaPair {
    TrainDelta weights, gradients;
} DeltaPair;

/* A tensor of a TrainBlock or a TrainDelta.  `taps`: a convolution, learned as one vector. */
typedef struct DeltaTensor {
    const char *name;
    bool in_block;
    size_t field, rows, cols, taps;
    bool rate;
} DeltaTensor;

static void add_delta_tensor(Trainer *t, size_t layer, DeltaPair *pair, const DeltaTensor *d,
                             size_t *used) {
    TrainBlock *block = &t->weights.blocks[layer], *grad = &t->grads.blocks[layer];
    char name[48];
    snprintf(name, sizeof name, "blk.%zu.%s", layer, d->name);
    size_t offset = train_add(t, used, name, d->rows, d->cols);
    if (t->parameters) {
        t->parameters[t->n_parameters - 1].taps = d->taps;
        t->parameters[t->n_parameters - 1].rate = d->rate;
    }
    if (d->in_block) train_point(t, block, grad, d->field, offset);
    if (pair && !d->in_block)
        train_point(t, &pair->weights, &pair->gradients, d->field, offset);
}

#define BLOCK(FIELD) true, offsetof(TrainBlock, FIELD)
#define DELTA(FIELD) false, offsetof(TrainDelta, FIELD)

static void add_delta(Trainer *t, size_t layer, size_t *used) {
    const TrainShape *s = &t->config.shape;
    const size_t dim = s->dim, heads = s->heads, hd = s->head_dim, all = train_channels(s);
    const DeltaTensor tensors[] = {
        {"attn_norm.weight", BLOCK(attn_norm), 1, dim, 0, false},
        {"attn_qkv.weight", DELTA(qkv), all, dim, 0, false},
        {"ssm_conv1d.weight", DELTA(taps), 1, all * s->taps, s->taps, false},
        {"ssm_alpha.weight", DELTA(alpha), heads, dim, 0, false},
        {"ssm_beta.weight", DELTA(beta), heads, dim, 0, false},
        {"ssm_a", DELTA(rate), 1, heads, 0, true},
        {"ssm_dt.bias", DELTA(bias), 1, heads, 0, false},
        {"attn_gate.weight", DELTA(gate), heads * hd, dim, 0, false},
        {"ssm_norm.weight", DELTA(norm), 1, hd, 0, false},
        {"ssm_out.weight", DELTA(out), dim, heads * hd, 0, false},
        {"post_attention_norm.weight", BLOCK(ffn_norm), 1, dim, 0, false}};
    DeltaPair *pair = arena_take(&t->arena, 1, sizeof *pair);
    if (pair)
        t->weights.blocks[layer].mixer = &pair->weights,
        t->grads.blocks[layer].mixer = &pair->gradients;
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        add_delta_tensor(t, layer, pair, &tensors[i], used);
}

static void layout_delta(Trainer *t, TrainSaved *saved) {
    const TrainShape *s = &t->config.shape;
    Arena *a = &t->arena;
    size_t n = t->rows, f = sizeof(float), wide = s->heads * s->head_dim,
           channels = train_channels(s);
    TrainDeltaSaved spare = {.in = NULL};
    TrainDeltaSaved *kept = arena_take(a, 1, sizeof *kept), *d = kept ? kept : &spare;
    saved->mixer = kept;
    d->in = arena_take(a, n * channels, f), d->conv = arena_take(a, n * channels, f);
    d->z = arena_take(a, n * wide, f), d->read = arena_take(a, n * wide, f);
    d->alpha = arena_take(a, n * s->heads, f);
    d->rows.qkv = arena_take(a, n * channels, f);
    d->rows.beta = arena_take(a, n * s->heads, f);
    d->rows.rate = arena_take(a, n * s->heads, f);
}

/* Gains are 1.  A token's decay is exp(-exp(rate) dt) with exp(rate) from 1 to 16 and dt =
 * softplus(bias) from 0.001 to 0.1: long and short memories.  Taps are symmetric around 0.
 * Source   Dao & Gu 2024, arXiv:2405.21060, reference code. */
static float first_of_delta(const Parameter *p, double u) {
    if (p->rate) return (float)real_log(1 + 15 * u);
    if (p->taps) return (float)((2 * u - 1) / sqrt((double)p->taps));
    if (strstr(p->name, "ssm_dt"))
        return (float)real_log(real_exp(0.001 * real_exp(u * real_log(100))) - 1);
    return 1;
}

/* In qkv, values come after q and k. */
static void delta_values(const TrainShape *s, const TrainBlock *block, const float **v,
                         float **out) {
    const TrainDelta *w = block->mixer;
    *v = w->qkv + 2 * s->kv_heads * s->head_dim * s->dim, *out = w->out;
}

/* No layer has attention: there are no heads. */
static void put_delta_keys(GgufWriter *out, const TrainConfig *c) {
    const TrainShape *s = &c->shape;
    gguf_put_int(out, "qwen35.attention.head_count", GGUF_U32, 0);
    gguf_put_int(out, "qwen35.ssm.conv_kernel", GGUF_U32, (int64_t)s->taps);
    gguf_put_int(out, "qwen35.ssm.state_size", GGUF_U32, (int64_t)s->head_dim);
    gguf_put_int(out, "qwen35.ssm.group_count", GGUF_U32, (int64_t)s->kv_heads);
    gguf_put_int(out, "qwen35.ssm.time_step_rank", GGUF_U32, (int64_t)s->heads);
    gguf_put_int(out, "qwen35.ssm.inner_size", GGUF_U32, (int64_t)(s->heads * s->head_dim));
}

const TrainFamily train_delta_family = {.arch = "qwen35",
                                        .mixer = &train_delta_mixer,
                                        .check = check_delta,
                                        .add_mixer = add_delta,
                                        .layout_saved = layout_delta,
                                        .first_of_vector = first_of_delta,
                                        .values_and_output = delta_values,
                                        .put_keys = put_delta_keys};
