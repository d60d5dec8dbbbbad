/* sizes.c - the numbers of a model and of each of its layers, from its keys.  See bind.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>

/* No dimension of a real model is larger; so products stay far from overflow. */
enum { MAX_SIZE = 1 << 24, MAX_HEADS = 65536, MAX_TAPS = 64 };

float read_softcap(Binder *b, const char *key, float of_family) {
    if (of_family == 0) return 0;
    return (float)key_number(b, key, false, fmax(0, (double)of_family), 0.001, 1e6);
}

static void read_granite_scales(Binder *b) {
    Model *m = b->model;
    m->embedding_scale = (float)key_number(b, "embedding_scale", false, 1, 1e-6, 1e6);
    m->residual_scale = (float)key_number(b, "residual_scale", false, 1, 1e-6, 1e6);
    m->attention_scale = (float)key_number(b, "attention.scale", false, 0, 0, 1e6);
    m->logit_scale = 1 / (float)key_number(b, "logit_scale", true, 1, 1e-6, 1e6);
}

/* Without logit_scale programs disagree about which way to scale. */
static void read_minicpm_scales(Binder *b) {
    Model *m = b->model;
    double each = 1.4 / sqrt((double)m->sizes.layers);
    m->embedding_scale = (float)key_number(b, "embedding_scale", false, 12, 1e-6, 1e6);
    m->residual_scale = (float)key_number(b, "residual_scale", false, each, 1e-6, 1e6);
    m->logit_scale = 1 / (float)key_number(b, "logit_scale", true, 1, 1e-6, 1e6);
}

static bool read_scales(Binder *b) {
    Model *m = b->model;
    const Recipe *r = m->recipe;
    m->eps = (float)key_number(b,
                               r->norm == NORM_RMS ? "attention.layer_norm_rms_epsilon"
                                                   : "attention.layer_norm_epsilon",
                               true, 0, 0, 0.1);
    m->embedding_scale = r->scale_embedding ? sqrtf((float)m->sizes.dim) : 1;
    m->residual_scale = m->logit_scale = 1;
    if (r->scales == SCALES_GRANITE) read_granite_scales(b);
    if (r->scales == SCALES_MINICPM) read_minicpm_scales(b);
    if (r->scales == SCALES_MINICPM3) {
        m->embedding_scale = 12, m->logit_scale = 256 / (float)m->sizes.dim;
        m->residual_scale = (float)(1.4 / sqrt((double)m->sizes.layers));
    }
    if (r->scales == SCALES_COHERE)
        m->logit_scale = (float)key_number(b, "logit_scale", true, 1, 1e-6, 1e6);
    m->logit_softcap = read_softcap(b, "final_logit_softcapping", r->logit_softcap);
    m->max_bias = r->max_bias >= 0
                      ? r->max_bias
                      : (float)key_number(b, "attention.max_alibi_bias", false, 0, 0, 1000);
    m->clamp = r->clamp ? (float)key_number(b, "attention.clamp_kqv", false, 0, 0, 1e6) : 0;
    return b->ok;
}

bool read_sizes(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    s->layers = key_size(b, "block_count", true, 0, 1, MODEL_LAYERS);
    s->dim = key_size(b, "embedding_length", true, 0, 1, MAX_SIZE);
    s->ctx = key_size(b, "context_length", true, 0, 1, KEY_MAX_CTX);
    s->vocab = tokenizer_count(b->model->tokenizer);
    return b->ok && read_scales(b);
}

/* ------------------------------------------------------------------ one layer */

/* Has a block this matrix? */
static bool has(const Binder *b, size_t l, const char *name) {
    char full[96];
    return gguf_find_tensor(&b->model->gguf,
                            block_tensor_name(full, sizeof full, l, name, "weight"));
}

/* Families with state-space layers have attention in some, or in none: the tensors show it. */
static bool read_heads(Binder *b, size_t l, LayerSizes *s) {
    bool turns = b->model->recipe->rope != ROPE_NONE,
         attends = !b->model->recipe->recurrent || has(b, l, "attn_q") || has(b, l, "attn_qkv");
    s->heads = key_of_layer(b, "attention.head_count", l, attends, 0, attends, MAX_HEADS);
    if (!b->ok) return false;
    s->kv_heads =
        key_of_layer(b, "attention.head_count_kv", l, false, s->heads, attends, MAX_HEADS);
    if (!attends) {
        s->heads = s->kv_heads = 0;
        return b->ok;
    }
    s->head_dim = key_size(b, "attention.key_length", false, s->dim / s->heads, 1, 65536);
    s->value_dim = key_size(b, "attention.value_length", false, s->head_dim, 1, 65536);
    s->rotary = s->head_dim;
    if (turns)
        s->rotary = key_size(b, "rope.dimension_count", false, s->head_dim, 0, s->head_dim);
    if (b->ok && s->heads % s->kv_heads)
        b->ok = fault_set(b->fault,
                          "%zu heads (attention.head_count) do not divide among %zu "
                          "(attention.head_count_kv)",
                          s->heads, s->kv_heads);
    if (b->ok && (s->head_dim == 0 || (turns && s->rotary % 2)))
        b->ok = fault_set(b->fault,
                          "heads of %zu numbers cannot turn %zu of them (rope.dimension_count)",
                          s->head_dim, s->rotary);
    return b->ok;
}

/* What memory holds of a token is the file's key_length and value_length: with absorbed matrices one
 * latent and what turns; or the keys and values of all heads. */
static bool read_latents(Binder *b, size_t l, LayerSizes *s) {
    char name[96];
    const GgufTensor *k_b = gguf_find_tensor(
        &b->model->gguf, block_tensor_name(name, sizeof name, l, "attn_k_b", "weight"));
    if (!b->ok || !b->model->recipe->latents || !has(b, l, "attn_kv_a_mqa")) return b->ok;
    s->absorbed = k_b != NULL;
    s->latent = key_size(b, "attention.kv_lora_rank", true, 0, 1, MAX_SIZE);
    s->q_latent = key_size(b, "attention.q_lora_rank", false, 0, 0, MAX_SIZE);
    s->rotary = key_size(b, "rope.dimension_count", true, 0, 2, MAX_SIZE);
    size_t query = s->head_dim, value = s->value_dim;
    if (s->absorbed) {
        query = key_size(b, "attention.key_length_mla", true, 0, 1, 65536);
        value = key_size(b, "attention.value_length_mla", true, 0, 1, 65536);
    }
    if (!b->ok) return false;
    size_t kv_heads = s->absorbed ? 1 : s->heads,
           key = s->absorbed ? s->latent + s->rotary : query,
           held = s->absorbed ? s->latent : value;
    if (query <= s->rotary)
        return b->ok =
                   fault_set(b->fault,
                             "queries of %zu numbers (attention.key_length_mla, or key_length) "
                             "have none beside the %zu that turn (rope.dimension_count)",
                             query, s->rotary);
    s->plain = query - s->rotary, s->latent_value = value;
    if (s->kv_heads == kv_heads && s->head_dim == key && s->value_dim == held) return true;
    return b->ok = fault_set(
               b->fault,
               "keys of %zu and values of %zu numbers in %zu heads (attention.key_length, "
               "value_length, head_count_kv), wanted %zu, %zu and %zu by "
               "kv_lora_rank, rope.dimension_count and the tensors",
               s->head_dim, s->value_dim, s->kv_heads, key, held, kv_heads);
}

/* Rows of the network beside the experts: what the keys say, or the tensor shows. */
static size_t shared_hidden(Binder *b, size_t l, size_t each) {
    char name[96];
    const GgufTensor *up = gguf_find_tensor(
        &b->model->gguf, block_tensor_name(name, sizeof name, l, "ffn_up_shexp", "weight"));
    size_t rows = up && up->ndim == 2 ? up->shape[0] : 0;
    if (find_key(b, "expert_shared_count"))
        rows = each * key_size(b, "expert_shared_count", true, 0, 0, MOE_EXPERTS);
    return key_size(b, "expert_shared_feed_forward_length", false, rows, 0, MAX_SIZE);
}

/* Only experts of the best groups are chosen. */
static bool read_groups(Binder *b, LayerSizes *s) {
    if (!b->model->recipe->weights_by_key) return b->ok;
    size_t groups = key_size(b, "expert_group_count", false, 0, 0, s->experts),
           used = key_size(b, "expert_group_used_count", groups > 1, 0, groups > 1, groups);
    if (!b->ok || groups <= 1) return b->ok;
    s->groups = groups, s->groups_used = used;
    if (s->experts % groups == 0 && used * (s->experts / groups) >= s->experts_used)
        return true;
    return b->ok =
               fault_set(b->fault,
                         "%zu of %zu groups (expert_group_used_count, expert_group_count) of "
                         "%zu experts have no %zu to choose (expert_used_count)",
                         used, groups, s->experts, s->experts_used);
}

static bool read_experts(Binder *b, size_t l, LayerSizes *s) {
    const Recipe *r = b->model->recipe;
    s->experts = key_size(b, "expert_count", false, 0, 0, MOE_EXPERTS);
    if (s->experts && !r->experts)
        return refuse_key(b, "expert_count", "0", "models of this family have no experts");
    s->experts_used =
        key_size(b, "expert_used_count", s->experts > 0, 0, s->experts > 0, s->experts);
    if (!b->ok || s->experts == 0) return b->ok;
    size_t each = r->split_hidden ? s->hidden / s->experts_used : s->hidden;
    s->expert_hidden = key_size(b, "expert_feed_forward_length", false, each, 1, MAX_SIZE);
    s->shared_hidden = shared_hidden(b, l, s->expert_hidden);
    read_groups(b, s);
    if (has(b, l, "ffn_gate_inp")) /* or it is one of those without */
        s->hidden = 0;
    else
        s->experts = s->experts_used = s->expert_hidden = s->shared_hidden = 0;
    return b->ok;
}

/* Heads and groups of Mamba 2 divide what they share. */
static bool check_ssm(Binder *b, const LayerSizes *s) {
    if (!b->ok || !s->ssm_heads) return b->ok;
    if (s->ssm_inner % s->ssm_heads == 0 && s->ssm_heads % s->ssm_groups == 0) return true;
    return b->ok = fault_set(b->fault,
                             "%zu channels (ssm.inner_size) do not divide among %zu heads "
                             "(ssm.time_step_rank), or those among %zu groups "
                             "(ssm.group_count)",
                             s->ssm_inner, s->ssm_heads, s->ssm_groups);
}

static bool read_ssm(Binder *b, size_t l, bool heads, LayerSizes *s) {
    size_t inner = key_size(b, "ssm.inner_size", true, 0, 1, MAX_SIZE);
    s->ssm_state = key_size(b, "ssm.state_size", true, 0, 1, MAMBA_STATE);
    s->ssm_taps = key_size(b, "ssm.conv_kernel", true, 0, 1, MAX_TAPS);
    s->ssm_rank = key_size(b, "ssm.time_step_rank", true, 0, 1, heads ? MAX_HEADS : MAX_SIZE);
    s->ssm_groups = key_size(b, "ssm.group_count", heads, 0, heads, heads ? MAX_HEADS : 0);
    if (heads) s->ssm_heads = s->ssm_rank;
    if (has(b, l, "ssm_in")) s->ssm_inner = inner;
    return check_ssm(b, s);
}

/* The mixer that a layer has beside attention, or in its place. */
static bool read_recurrent(Binder *b, size_t l, LayerSizes *s) {
    Recurrent kind = b->model->recipe->recurrent;
    size_t taps;
    switch (kind) {
    case RECURRENT_NONE: break;
    case RECURRENT_MAMBA:
    case RECURRENT_MAMBA2: return read_ssm(b, l, kind == RECURRENT_MAMBA2, s);
    case RECURRENT_SHORT_CONV:
        taps = key_size(b, "shortconv.l_cache", true, 0, 2, MAX_TAPS);
        if (has(b, l, "shortconv.conv")) s->short_conv = taps;
    }
    return b->ok;
}

/* Layers of this model may have windows. */
static bool has_windows(const Model *m) {
    const Recipe *r = m->recipe;
    if (r->window_layers && r->window_layers != m->sizes.layers) return false;
    return r->window_pattern || r->window_listed;
}

static bool has_rope(Binder *b, size_t l, size_t window) {
    const Recipe *r = b->model->recipe;
    if (r->rope == ROPE_NONE) return false;
    if (r->rope_windows_only && has_windows(b->model) && window == 0) return false;
    if (r->no_rope_every && (l + 1) % r->no_rope_every == 0) return false;
    return !r->rope_by_key || key_bool(b, "rope.scaling.finetuned", false, true);
}

const LayerSizes *attention_sizes(const Model *model) {
    size_t l = 0;
    while (l + 1 < model->sizes.layers && !model->layers[l].heads) l++;
    return &model->layers[l];
}

LayerSizes layer_sizes(Binder *b, size_t l) {
    const Recipe *r = b->model->recipe;
    LayerSizes s = {.dim = b->model->sizes.dim};
    s.hidden =
        key_of_layer(b, "feed_forward_length", l, !r->recurrent, 0, !r->recurrent, MAX_SIZE);
    if (r->half_hidden) s.hidden /= 2;
    if (!read_heads(b, l, &s) || !read_latents(b, l, &s) || !read_experts(b, l, &s) ||
        !read_recurrent(b, l, &s))
        return s;
    s.window = window_of(b, l);
    s.rope = has_rope(b, l, s.window);
    return s;
}

/* A list says for each layer whether it has a window. */
static bool windowed_by_list(Binder *b, const char *key, const GgufPair *list, size_t layer) {
    int64_t has = -1;
    bool ok = list->count == b->model->sizes.layers && gguf_int(list, layer, &has);
    if (!ok || has < 0 || has > 1)
        refuse_key(b, key, "a number, or true or false for each layer",
                   "the file is badly written, convert the model again");
    return has == 1;
}

/* A number p: of every p layers the last one sees everything. */
static bool is_windowed(Binder *b, size_t layer) {
    const char *key = "attention.sliding_window_pattern";
    const GgufPair *pair = find_key(b, key);
    if (pair && pair->type == GGUF_ARRAY) return windowed_by_list(b, key, pair, layer);
    const Recipe *r = b->model->recipe;
    if (r->window_listed && !r->window_pattern)
        return refuse_key(b, key, "true or false for each layer", "nothing else says it");
    size_t p = key_size(b, key, false, r->window_pattern, 1, MAX_SIZE);
    return layer % p != p - 1;
}

size_t window_of(Binder *b, size_t layer) {
    const Recipe *r = b->model->recipe;
    size_t window = key_size(b, "attention.sliding_window", false, r->window, 0, KEY_MAX_CTX);
    if (has_windows(b->model)) return window && is_windowed(b, layer) ? window : 0;
    if (window && window < b->model->sizes.ctx && !r->window_ignored)
        refuse_key(b, "attention.sliding_window", "0, or not less than context_length",
                   "layers of this family see everything here");
    return 0;
}
