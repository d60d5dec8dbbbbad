/* bind_block.c - the tensors of a block, by their roles.  See bind.h and roles.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The family's own name for a tensor of this block, where it is not the usual one; or NULL.  Some names
 * hold only in blocks that have another tensor beside it. */
static const char *other_name(const Binder *b, RoleId id, size_t layer) {
    char full[96];
    const bool swapped = b->model->layers[layer].swapped;
    if (swapped && id == ROLE_FFN_UP) return role_of(ROLE_FFN_DOWN)->name;
    if (swapped && id == ROLE_FFN_DOWN) return role_of(ROLE_FFN_UP)->name;
    for (const RoleName *n = b->model->recipe->names; n && n->name; n++) {
        if (n->id != id) continue;
        if (!n->beside ||
            gguf_find_tensor(&b->model->gguf,
                             block_name(b, full, sizeof full, layer, n->beside, "weight")))
            return n->name;
    }
    return NULL;
}

static Linear bind_linear(Binder *b, const Role *role, const char *name, const LayerSizes *s,
                          size_t layer, bool required) {
    char full[96];
    bool stack = role->kind != ROLE_LINEAR;
    const size_t shape[3] = {role->kind == ROLE_HEADS ? s->heads : s->experts,
                             extent_of(role->rows, s), extent_of(role->cols, s)};
    Linear map = {.w = bind_tensor(b, block_name(b, full, sizeof full, layer, name, "weight"),
                                   required, stack ? 3 : 2, shape + !stack, role->from)};
    if (map.w.data) /* any map may have a bias: no key says so */
        map.bias = bind_numbers(b, block_name(b, full, sizeof full, layer, name, "bias"), false,
                                1 + stack, shape + !stack, role->from);
    return map;
}

static Norm bind_role_norm(Binder *b, RoleId id, const char *name, const LayerSizes *s,
                           size_t layer, bool required) {
    const Role *role = role_of(id);
    char full[96];
    size_t heads = 1, width = extent_of(role->cols, s);
    if (role->rows == EXTENT_HEADS) { /* a norm of heads, in one of three ways */
        size_t count = id == ROLE_ATTN_K_NORM ? s->kv_heads : s->heads;
        if (b->model->recipe->head_norms == HEAD_NORMS_OWN) heads = count;
        if (b->model->recipe->head_norms == HEAD_NORMS_ROW ||
            b->model->recipe->head_norms == HEAD_NORMS_ROW_MAYBE)
            width *= count;
    }
    if (role->rows == EXTENT_SSM_GROUPS) heads = s->ssm_groups;
    block_name(b, full, sizeof full, layer, name, NULL);
    return bind_norm(b, full, required, heads, width, role->from);
}

/* A few numbers: "attn_sinks.weight", "exp_probs_b.bias" or "ssm_a". */
static const float *bind_role_numbers(Binder *b, const Role *role, const char *name,
                                      const LayerSizes *s, size_t layer, bool required) {
    char full[96];
    const char *suffix = role->kind == ROLE_VECTOR   ? "weight"
                         : role->kind == ROLE_OFFSET ? "bias"
                                                     : NULL;
    const size_t shape[2] = {extent_of(role->rows, s), extent_of(role->cols, s)};
    bool row = role->rows == EXTENT_ONE;
    return bind_numbers(b, block_name(b, full, sizeof full, layer, name, suffix), required,
                        row ? 1 : 2, shape + row, role->from);
}

static void bind_role(Binder *b, Block *block, RoleId id, const LayerSizes *s, size_t layer,
                      Need need) {
    const Role *role = role_of(id);
    const char *other = other_name(b, id, layer), *name = other ? other : role->name;
    void *place = role_in(role, block);
    bool required = need == NEED_YES || other; /* a file that has n->beside has this one, too */
    switch (role->kind) {
    case ROLE_LINEAR:
    case ROLE_HEADS:
    case ROLE_STACK: *(Linear *)place = bind_linear(b, role, name, s, layer, required); break;
    case ROLE_NORM: *(Norm *)place = bind_role_norm(b, id, name, s, layer, required); break;
    case ROLE_VECTOR:
    case ROLE_OFFSET:
    case ROLE_PLAIN:
        *(const float **)place = bind_role_numbers(b, role, name, s, layer, required);
    }
}

/* ------------------------------------------------------------------ several maps in one tensor */

/* Rows first .. first+n-1 of a map. */
static Linear slice_of(const Linear *map, size_t first, size_t n) {
    size_t cols = map->w.shape[1], bytes = dtype_row_bytes(map->w.dtype, cols);
    return (Linear){.w = tensor_view(map->w.dtype, 2, (size_t[]){n, cols},
                                     (char *)map->w.data + first * bytes),
                    .bias = map->bias ? map->bias + first : NULL};
}

/* The maps of `count` roles from one tensor that holds their rows one after the other; false when
 * the file has no such tensor. */
static bool bind_fused(Binder *b, Block *block, const char *name, const RoleId *ids, int count,
                       const LayerSizes *s, size_t layer) {
    char full[96];
    size_t shape[2] = {0, extent_of(role_of(ids[0])->cols, s)}, first = 0;
    const char *from = role_of(ids[0])->from;
    for (int i = 0; i < count; i++) shape[0] += extent_of(role_of(ids[i])->rows, s);
    Linear all = {.w = bind_tensor(b, block_name(b, full, sizeof full, layer, name, "weight"),
                                   false, 2, shape, from)};
    if (!all.w.data) return false;
    all.bias = bind_vector(b, block_name(b, full, sizeof full, layer, name, "bias"), false,
                           shape[0], from);
    for (int i = 0; i < count; i++) {
        size_t rows = extent_of(role_of(ids[i])->rows, s);
        *(Linear *)role_in(role_of(ids[i]), block) = slice_of(&all, first, rows);
        first += rows;
    }
    return true;
}

/* The three convolutions of a delta net from one tensor. */
static bool bind_delta_conv(Binder *b, DeltaNet *m, const LayerSizes *s, size_t layer) {
    size_t k = extent_of(EXTENT_DELTA_K, s) * s->delta_taps, v = extent_of(EXTENT_DELTA_V, s);
    const size_t shape[2] = {2 * extent_of(EXTENT_DELTA_K, s) + v, s->delta_taps};
    char full[96];
    const float *w =
        bind_numbers(b, block_name(b, full, sizeof full, layer, "ssm_conv1d", "weight"), true,
                     2, shape, role_of(ROLE_DELTA_Q_CONV)->from);
    if (w) m->q_conv.w = w, m->k_conv.w = w + k, m->v_conv.w = w + 2 * k;
    return true;
}

static void bind_tensors(Binder *b, Block *block, const LayerSizes *s, size_t layer) {
    static const RoleId qkv[] = {ROLE_ATTN_Q, ROLE_ATTN_K, ROLE_ATTN_V},
                        up[] = {ROLE_FFN_GATE, ROLE_FFN_UP},
                        delta[] = {ROLE_DELTA_Q, ROLE_DELTA_K, ROLE_DELTA_V};
    const Recipe *r = b->model->recipe;
    bool has_qkv = s->heads && !s->latent && bind_fused(b, block, "attn_qkv", qkv, 3, s, layer),
         has_up = s->gate_in_up && s->hidden && bind_fused(b, block, "ffn_up", up, 2, s, layer);
    bool one = s->delta_heads && !s->delta_each, /* map, and convolution */
        has_delta = one && bind_fused(b, block, "attn_qkv", delta, 3, s, layer),
         has_conv = one && bind_delta_conv(b, &block->extras->delta, s, layer);
    for (RoleId id = 0; id < ROLES && b->ok; id++) {
        bool done = (has_qkv && id >= ROLE_ATTN_Q && id <= ROLE_ATTN_V) ||
                    (has_up && (id == ROLE_FFN_GATE || id == ROLE_FFN_UP)) ||
                    (has_delta && id >= ROLE_DELTA_Q && id <= ROLE_DELTA_V) ||
                    (has_conv && id >= ROLE_DELTA_Q_CONV && id <= ROLE_DELTA_V_CONV);
        Need need = recipe_need(r, id, s);
        if (id == ROLE_ATTN_K_NORM && need == NEED_MAYBE && !s->back) /* both or neither */
            need = block->attention.q_norm.kind ? NEED_YES : NEED_NO;
        if (!done && need != NEED_NO) bind_role(b, block, id, s, layer, need);
    }
    if (s->back) { /* of keys and values that are another layer's nothing is computed */
        block->attention.k = block->attention.v = (Linear){.bias = NULL};
        block->attention.k_norm = (Norm){.kind = NORM_NONE};
    }
}

/* ------------------------------------------------------------------ settings */

static const Wiring *wiring_of(Binder *b, const Block *block) {
    const Recipe *r = b->model->recipe;
    bool parallel = r->parallel_by_norm && !block->ffn_norm.kind;
    if (r->parallel_by_key) parallel = key_bool(b, "use_parallel_residual", true, true);
    if (parallel) return &parallel_wiring;
    return r->wiring ? r->wiring : &sequential_wiring;
}

static float scale_of(const Model *m, const LayerSizes *s) {
    bool by_dim = m->sizes.layers == m->recipe->scale_by_dim_layers;
    if (m->attention_scale > 0) return m->attention_scale;
    if (m->recipe->score_scale > 0) return m->recipe->score_scale;
    if (s->latent) return m->latent_scale / sqrtf((float)(s->plain + s->rotary));
    return 1 / sqrtf((float)(by_dim ? m->sizes.dim / s->heads : s->head_dim));
}

static size_t temperature_length(Binder *b) {
    bool grows = key_number(b, "attention.temperature_scale", false, 0, 0, 10) > 0;
    return key_size(b, "attention.temperature_length", grows, 1, 1, KEY_MAX_CTX);
}

/* Queries grow with the position.  Llama 4 counts positions from 1 and has constants of its own. */
static void set_temperature(Binder *b, Attention *a, const LayerSizes *s) {
    const Recipe *r = b->model->recipe;
    if (r->temperature) {
        a->q_temperature = (float)key_number(b, "attention.temperature_scale", false, 0, 0, 10);
        a->temperature_ctx = (float)(r->latents ? temperature_length(b) : trained_ctx(b));
    }
    if (r->no_rope_temperature_ctx && !s->rope) {
        a->q_temperature = 0.1f;
        a->temperature_ctx = (float)r->no_rope_temperature_ctx;
        a->temperature_from = 1;
    }
}

/* Of the other text: no mask, no places. */
static void set_cross(const Model *m, Attention *a, const LayerSizes *s) {
    a->shape = (AttentionShape){.heads = s->heads,
                                .kv_heads = s->kv_heads,
                                .head_dim = s->head_dim,
                                .value_dim = s->value_dim,
                                .scale = scale_of(m, s),
                                .cross = true};
}

/* Old files have biases of cross attention in their first block, which no program reads. */
static void bind_idle(Binder *b, const LayerSizes *s, size_t layer) {
    char name[96];
    const size_t shape[2] = {s->buckets, s->heads};
    bind_tensor(b, block_name(b, name, sizeof name, layer, "cross_attn_rel_b", "weight"), false,
                2, shape, role_of(ROLE_ATTN_RELATIVE)->from);
}

/* A block without a table has that of the first one of its kind. */
static void set_relative(const Model *m, Block *block, const LayerSizes *s, size_t layer) {
    const size_t first = layer < m->sizes.encoder ? 0 : m->sizes.encoder;
    Relative *relative = &block->extras->relative;
    if (!relative->table && m->blocks)
        relative->table = m->blocks[first].extras->relative.table;
    relative_init(relative, s->heads, s->buckets, !block->attention.shape.mask.causal);
    block->attention.shape.relative = relative;
}

static void set_attention(Binder *b, Attention *a, const LayerSizes *s) {
    Model *m = b->model;
    const Recipe *r = m->recipe;
    a->clamp = m->clamp;
    a->rope = s->rope ? &m->ropes[s->window && !r->window_everywhere] : NULL;
    a->shape =
        (AttentionShape){.heads = s->heads,
                         .kv_heads = s->kv_heads,
                         .head_dim = s->head_dim,
                         .value_dim = s->value_dim,
                         .scale = scale_of(m, s),
                         .softcap = read_softcap(b, "attn_logit_softcapping", r->attn_softcap),
                         .max_bias = m->max_bias,
                         .mask = {.causal = !r->both_ways && !s->encodes,
                                  .window = s->window,
                                  .chunk = s->rope ? r->chunk : 0}};
    set_temperature(b, a, s);
    a->norm_after_rope = r->head_norms_late;
    a->gate_in_q = s->gate_in_q;
    a->back = s->back;
    if (r->value_norms)
        a->v_norm = (Norm){.kind = r->norm, .width = s->value_dim, .eps = m->eps};
    if (r->value_scale)
        a->v_scale = (float)key_number(b, "attention.value_scale", false, 1, 1e-6, 1e6);
    if (r->head_norms == HEAD_NORMS_UNIT && s->rope) {
        a->q_norm = a->k_norm = (Norm){.kind = NORM_RMS, .width = s->head_dim, .eps = m->eps};
        a->norm_after_rope = true;
    }
}

/* Its first numbers turn as others do, but in halves.  Its keys are kept behind all layers'. */
static void set_indexer(const Binder *b, Indexer *x, const LayerSizes *s, size_t layer) {
    const Model *m = b->model;
    x->heads = m->recipe->indexer == INDEXER_CHOOSES ? s->index_heads : 0;
    x->width = s->index_width, x->top = s->index_top;
    x->k_norm = (Norm){.kind = NORM_LAYER, .width = x->width, .eps = 1e-6f};
    x->rope = m->ropes[0];
    x->rope.style = ROPE_HALF_SPLIT;
    x->layer =
        s->drafts ? 1 : m->sizes.layers + layer; /* a draft head has a memory of its own */
}

static void set_mla(Mla *m, const LayerSizes *s) {
    m->rank = s->latent, m->rotary = s->rotary;
    m->plain = s->plain, m->value = s->latent_value;
}

static ShortConv delta_conv(size_t channels, size_t taps, size_t at) {
    return (ShortConv){.channels = channels, .taps = taps, .silu = true, .at = at};
}

static void set_delta(Binder *b, DeltaNet *m, const LayerSizes *s) {
    Recurrent kind = b->model->recipe->recurrent;
    size_t k = extent_of(EXTENT_DELTA_K, s), v = extent_of(EXTENT_DELTA_V, s),
           taps = s->delta_taps;
    m->d = s->delta_dim, m->keys = s->delta_keys, m->heads = s->delta_heads;
    m->q_conv = delta_conv(k, taps, 0);
    m->k_conv = delta_conv(k, taps, k * (taps - 1));
    m->v_conv = delta_conv(v, taps, 2 * k * (taps - 1));
    m->tiled = kind == RECURRENT_DELTA_TILED;
    m->per_channel = m->sigmoid_gate = kind == RECURRENT_KDA;
    m->eps = b->model->eps;
}

/* Of the norm of each head: 64 times that of other norms, whatever the size of a head. */
#define RWKV_EPS 64e-5f

static void set_rwkv(Rwkv *m, const LayerSizes *s, float eps) {
    m->d = s->rwkv_dim, m->heads = s->rwkv_heads, m->first = s->rwkv_first;
    m->norm = (Norm){.kind = NORM_LAYER, .width = m->d, .own_gain = true, .eps = eps};
}

static void set_mamba(Binder *b, Mamba *m, const LayerSizes *s) {
    const float eps = b->model->eps;
    m->inner = s->ssm_inner, m->n = s->ssm_state;
    m->heads = s->ssm_heads, m->groups = s->ssm_groups;
    m->conv.channels = extent_of(EXTENT_SSM_CONV, s);
    m->conv.taps = s->ssm_taps, m->conv.silu = true;
    if (!s->ssm_heads && key_bool(b, "ssm.dt_b_c_rms", false, false)) { /* Falcon Mamba */
        m->dt_norm = (Norm){.kind = NORM_RMS, .width = s->ssm_rank, .eps = eps};
        m->b_norm = m->c_norm = (Norm){.kind = NORM_RMS, .width = s->ssm_state, .eps = eps};
    }
}

/* How many experts, which, and what they weigh. */
static void set_router(Binder *b, Router *router, const LayerSizes *s) {
    static const RouterScore scores[] = {ROUTER_SOFTMAX, ROUTER_SIGMOID, ROUTER_SOFTMAX_CHOSEN};
    const Recipe *r = b->model->recipe;
    router->score = r->router, router->used = s->experts_used;
    router->renormalize = r->renormalize, router->weight_input = r->weight_input;
    router->groups = s->groups, router->groups_used = s->groups_used;
    if (s->beside) { /* it reads rows of unit length, times its gain */
        router->norm.kind = r->norm, router->norm.width = s->dim;
        router->norm.eps = b->model->eps, router->score_scale = 1 / sqrtf((float)s->dim);
    }
    if (r->router_by_key && find_key(b, "expert_gating_func"))
        router->score = scores[key_size(b, "expert_gating_func", true, 1, 1, 3) - 1];
    if (!r->weights_by_key) return;
    if (!r->renormalize) router->renormalize = key_bool(b, "expert_weights_norm", false, false);
    router->scale = (float)key_number(b, "expert_weights_scale", false, 0, 0, 1e6);
}

/* A limit for each layer; 0: none. */
static void set_limits(Binder *b, Block *block, size_t layer) {
    block->extras->experts.limit =
        (float)number_of_layer(b, "swiglu_clamp_exp", layer, 0, 0, 1e6);
    block->ffn.limit = (float)number_of_layer(b, "swiglu_clamp_shexp", layer, 0, 0, 1e6);
}

/* The file has two of the numbers before softplus, which keeps them positive. */
static void set_xielu(Binder *b, Xielu *c, size_t layer) {
    double p = xielu_number(b, "xielu.alpha_p", layer),
           n = xielu_number(b, "xielu.alpha_n", layer);
    c->beta = (float)xielu_number(b, "xielu.beta", layer);
    c->eps = (float)xielu_number(b, "xielu.eps", layer);
    c->p = (float)log1p(exp(p)), c->n = c->beta + (float)log1p(exp(n));
}

static Activation activation_of(Binder *b, const LayerSizes *s) {
    const Recipe *r = b->model->recipe;
    const char *key = "hidden_activation";
    if (r->sees) return b->model->eye.act;
    if (s->no_gate && r->gate_or_relu) return ACT_RELU;
    if (!r->act_by_key || !find_key(b, key)) return r->act;
    Text name = key_text(b, key, "");
    if (text_equal(name, text_of("silu"))) return ACT_SILU;
    if (!text_equal(name, text_of("gelu")))
        refuse_key(b, key, "gelu or silu", "networks of this family have no other");
    return ACT_GELU_TANH;
}

void bind_block(Binder *b, Block *block, size_t layer) {
    const Recipe *r = b->model->recipe;
    const LayerSizes *s = &b->model->layers[layer];
    BlockExtras *more = block->extras;
    *block = (Block){.residual_scale = b->model->residual_scale, .extras = more};
    *more = (BlockExtras){.mla.rank = 0};
    if (s->heads) set_attention(b, &block->attention, s);
    if (s->cross) set_cross(b->model, &more->cross.attention, s);
    if (s->latent) set_mla(&more->mla, s);
    if (s->index_heads) set_indexer(b, &more->mla.index, s, layer);
    if (s->delta_heads) set_delta(b, &more->delta, s);
    if (s->rwkv_heads) set_rwkv(&more->rwkv, s, RWKV_EPS);
    if (s->ssm_inner) set_mamba(b, &more->mamba, s);
    more->short_conv.conv.channels = s->dim, more->short_conv.conv.taps = s->short_conv;
    more->altup.streams = s->streams;
    more->layer_input.act = r->act;
    bind_tensors(b, block, s, layer);
    if (s->joined) bind_depths(b, &more->join);
    if (s->buckets) set_relative(b->model, block, s, layer);
    if (s->cross && s->first) bind_idle(b, s, layer);
    block->ffn.act = activation_of(b, s), block->ffn.gated = r->gated && !s->no_gate;
    if (s->experts) set_router(b, &more->experts.router, s);
    if (r->cut_layers) block->ffn.cut = read_cut(b, layer);
    if (r->limits) set_limits(b, block, layer);
    if (r->act == ACT_XIELU) set_xielu(b, &block->ffn.xielu, layer);
    block_choose(block, wiring_of(b, block));
}
