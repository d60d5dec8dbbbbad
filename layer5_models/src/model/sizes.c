/* sizes.c - the numbers of a model and of each of its layers, from its keys.  See bind.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>

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

/* Dream's row of a place says what the next one is. */
static bool read_shift(Binder *b) {
    const char *key = "diffusion.shift_logits";
    const GgufPair *pair = gguf_find(&b->model->gguf, key);
    char got[96];
    if (!b->model->recipe->both_ways || b->model->recipe->vectors) return true;
    b->model->shift_logits = !pair || (pair->type == GGUF_BOOL && *pair->data);
    if (!pair) return true;
    b->used_keys[pair - b->model->gguf.pairs] = true;
    return pair->type == GGUF_BOOL ||
           (b->ok = fault_set(b->fault, "key '%s' is %s, wanted true or false", key,
                              value_text(pair, got, sizeof got)));
}

/* Its blocks stand behind those of the encoder, which block_count counts. */
static void read_decoder(Binder *b) {
    const char *key = "decoder_start_token_id";
    ModelSizes *s = &b->model->sizes;
    const Tokenizer *t = b->model->tokenizer;
    s->encoder = s->layers;
    s->layers += key_size(b, "decoder_block_count", false, s->encoder, 1,
                          MODEL_LAYERS - min_size(s->encoder, MODEL_LAYERS - 1));
    b->model->start = (int32_t)key_size(b, key, true, 0, 0, tokenizer_count(t) - 1);
    if (b->ok && b->model->start == tokenizer_eos(t))
        refuse_key(b, key, "another token than the one that ends a text",
                   "it is what tells a source from what is written");
}

/* Draft heads stand behind the layers, and block_count counts them, too. */
static void read_draft_heads(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    if (!b->model->recipe->draft_heads || !b->ok) return;
    s->drafts = key_size(b, "nextn_predict_layers", false, 0, 0, s->layers - 1);
    s->layers -= s->drafts;
}

bool read_sizes(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    s->layers =
        key_size(b, "block_count", true, 0, 1, b->model->recipe->guesses ? 1 : MODEL_LAYERS);
    if (b->model->recipe->encoder) read_decoder(b);
    read_draft_heads(b);
    s->dim = key_size(b, "embedding_length", true, 0, 1, MAX_SIZE);
    if (b->sees) return read_eye(b) && read_scales(b);
    s->ctx = key_size(b, "context_length", true, 0, 1, KEY_MAX_CTX);
    s->vocab = tokenizer_count(b->model->tokenizer);
    return b->ok && read_shift(b) && read_scales(b);
}

/* ------------------------------------------------------------------ one layer */

/* Families with recurrent layers have attention in some, or in none: the tensors show it. */
static bool has_attention(const Binder *b, size_t l) {
    switch (b->model->recipe->recurrent) {
    case RECURRENT_NONE: return true;
    case RECURRENT_KDA: return has_matrix(b, l, "attn_kv_a_mqa");
    case RECURRENT_RWKV: return false;
    case RECURRENT_DELTA:
    case RECURRENT_DELTA_TILED: return has_matrix(b, l, "attn_q");
    default: return has_matrix(b, l, "attn_q") || has_matrix(b, l, "attn_qkv");
    }
}

/* A gate on what attention mixes. */
static void read_gate(const Recipe *r, LayerSizes *s) {
    s->gate_in_q = r->gate == GATE_IN_Q;
    if (r->gate == GATE_NUMBER) s->attn_gate = s->heads * s->value_dim;
    if (r->gate == GATE_HEAD) s->attn_gate = s->heads;
}

/* Numbers of a key, of a value, and how many of a key turn: heads of windowed layers may be smaller. */
static void read_lengths(Binder *b, size_t l, bool turns, LayerSizes *s) {
    static const char *const lengths[] = {
        "attention.key_length",     "attention.value_length",     "rope.dimension_count",
        "attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"};
    const Recipe *r = b->model->recipe;
    bool own = r->window_heads && s->window;
    for (int i = 0; i < 6 && r->window_heads; i++) find_key(b, lengths[i]); /* of both kinds */
    const char *const *length = lengths + (own ? 3 : 0);
    s->head_dim = key_size(b, length[0], own, s->dim / s->heads, 1, 65536);
    s->value_dim = key_size(b, length[1], own, s->head_dim, 1, 65536);
    s->rotary = s->head_dim;
    if (turns) s->rotary = key_size(b, length[2], false, s->head_dim, 0, s->head_dim);
    bool lent = r->keys_as_values && !s->window && s->value_dim == s->head_dim;
    s->keys_are_values = lent && !has_matrix(b, l, "attn_v");
}

static bool read_heads(Binder *b, size_t l, LayerSizes *s) {
    bool turns = b->model->recipe->rope != ROPE_NONE, attends = has_attention(b, l);
    s->heads = key_of_layer(b, "attention.head_count", l, attends, 0, attends, MAX_HEADS);
    if (!b->ok) return false;
    s->kv_heads =
        key_of_layer(b, "attention.head_count_kv", l, false, s->heads, attends, MAX_HEADS);
    if (!attends) {
        s->heads = s->kv_heads = 0;
        return b->ok;
    }
    read_lengths(b, l, turns, s);
    read_gate(b->model->recipe, s);
    if (b->ok && s->window == 0 && b->model->recipe->rope_full_half) s->rotary /= 2;
    if (b->ok && s->gate_in_q && s->value_dim != s->head_dim)
        return refuse_key(b, "attention.value_length", "key_length",
                          "gates lie between queries");
    if (b->ok && s->heads % s->kv_heads)
        b->ok = fault_set(b->fault,
                          "%zu heads (attention.head_count) do not divide among %zu "
                          "(attention.head_count_kv)",
                          s->heads, s->kv_heads);
    if (b->ok && (s->head_dim == 0 || (turns && (s->rotary % 2 || !s->rotary))))
        b->ok = fault_set(b->fault,
                          "heads of %zu numbers cannot turn %zu of them (rope.dimension_count)",
                          s->head_dim, s->rotary);
    return b->ok;
}

/* Rows of the network beside the experts: what the keys say, or the tensor shows. */
static size_t shared_hidden(Binder *b, size_t l, size_t each) {
    char name[96];
    const GgufTensor *up = gguf_find_tensor(
        &b->model->gguf, block_name(b, name, sizeof name, l, "ffn_up_shexp", "weight"));
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
    if (r->latent_experts)
        s->expert_latent = key_size(b, "moe_latent_size", false, 0, 0, MAX_SIZE);
    s->beside = r->beside;
    if (has_matrix(b, l, "ffn_gate_inp")) /* or it is one of those without */
        s->hidden = s->beside ? s->hidden : 0;
    else
        s->beside = false, s->expert_latent = s->experts = s->experts_used = s->expert_hidden =
                               s->shared_hidden = 0;
    return b->ok;
}

/* Layers of this model may have windows. */
static bool has_windows(const Model *m) {
    const Recipe *r = m->recipe;
    if (r->window_layers && r->window_layers != m->sizes.layers) return false;
    return r->window_pattern || r->window_listed || r->window_everywhere;
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

/* What a block does without where its tensors are not there: the first norm, the gate of a network. */
static void read_lacks(Binder *b, size_t l, LayerSizes *s) {
    const Recipe *r = b->model->recipe;
    char name[96];
    const GgufTensor *up = gguf_find_tensor(
        &b->model->gguf, block_name(b, name, sizeof name, l, "ffn_up", "weight"));
    s->bare = r->first_bare && l == 0 && !has_matrix(b, l, "attn_norm");
    s->gate_in_up = r->gate_in_up;
    s->swapped = r->sees && up && up->ndim == 2 && up->shape[1] == s->hidden;
    if (s->swapped && s->hidden == s->dim)
        refuse_key(b, "feed_forward_length", "another number than embedding_length",
                   "old files exchange ffn_up and ffn_down, and nothing shows which this is");
    s->no_gate = r->gate_or_relu && !has_matrix(b, l, "ffn_gate");
    if (!r->gate_maybe || has_matrix(b, l, "ffn_gate")) return;
    s->gate_in_up = up && up->ndim == 2 && up->shape[0] == 2 * s->hidden;
    s->no_gate = !s->gate_in_up;
}

LayerSizes layer_sizes(Binder *b, size_t l) {
    const Recipe *r = b->model->recipe;
    LayerSizes s = {.dim = b->model->sizes.dim,
                    .drafts = r->guesses || l >= b->model->sizes.layers,
                    .joined = r->guesses};
    s.hidden =
        key_of_layer(b, "feed_forward_length", l, !r->recurrent, 0, !r->recurrent, MAX_SIZE);
    if (r->half_hidden) s.hidden /= 2;
    read_lacks(b, l, &s);
    s.window = window_of(b, l);
    if (!read_heads(b, l, &s) || !read_latents(b, l, &s) || !read_experts(b, l, &s) ||
        !read_recurrent(b, l, &s) || !read_shared_kv(b, l, &s) || !read_beside(b, &s) ||
        !read_source(b, l, &s))
        return s;
    s.rope = has_rope(b, l, s.window);
    return s;
}

/* A list says for each layer whether it has a window. */
static bool windowed_by_list(Binder *b, const char *key, const GgufPair *list, size_t layer) {
    int64_t has = -1;
    bool ok = list->count == all_blocks(b) && gguf_int(list, layer, &has);
    if (!ok || has < 0 || has > 1)
        refuse_key(b, key, "a number, or true or false for each layer",
                   "the file is badly written, convert the model again");
    return has == 1;
}

/* A number p: of every p layers the last one sees everything. */
static bool is_windowed(Binder *b, size_t layer) {
    const Recipe *r = b->model->recipe;
    if (r->window_everywhere) return true;
    const char *key = "attention.sliding_window_pattern";
    const GgufPair *pair = find_key(b, key);
    if (pair && pair->type == GGUF_ARRAY) return windowed_by_list(b, key, pair, layer);
    if (r->window_listed && !r->window_pattern)
        return refuse_key(b, key, "true or false for each layer", "nothing else says it");
    size_t p = key_size(b, key, false, r->window_pattern, 1, MAX_SIZE);
    return layer % p != (r->window_after ? 0 : p - 1);
}

size_t window_of(Binder *b, size_t layer) {
    const Recipe *r = b->model->recipe;
    size_t window = key_size(b, "attention.sliding_window", false, r->window, 0, KEY_MAX_CTX);
    if (has_windows(b->model)) return window && is_windowed(b, layer) ? window : 0;
    if (window && window < b->model->sizes.ctx)
        refuse_key(b, "attention.sliding_window", "0, or not less than context_length",
                   "layers of this family see everything here");
    return 0;
}
