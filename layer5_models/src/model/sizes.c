/* sizes.c - the sizes of a model and of each of its layers, from its keys.  See bind.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>

float read_softcap(Binder *b, const char *key, float of_family) {
    if (of_family == 0) return 0;
    return (float)key_number(b, key, fmax(0, (double)of_family), 0.001, 1e6);
}

void read_eps(Binder *b) {
    const bool rms = b->model->recipe->norm == NORM_RMS;
    b->model->eps = (float)need_number(
        b, rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon", 0, 0.1);
}

bool read_sizes(Binder *b) {
    Model *m = b->model;
    ModelSizes *s = &m->sizes;
    s->layers = s->blocks = need_size(b, "block_count", 1, MODEL_LAYERS);
    s->dim = s->stream = need_size(b, "embedding_length", 1, MAX_SIZE);
    s->ctx = need_size(b, "context_length", 1, KEY_MAX_CTX);
    s->vocab = tokenizer_count(m->tokenizer);
    read_eps(b);
    m->embedding_scale = m->recipe->scale_embedding ? sqrtf((float)s->dim) : 1;
    m->residual_scale = 1;
    m->logit_softcap = read_softcap(b, "final_logit_softcapping", m->recipe->logit_softcap);
    return b->ok;
}

/* ------------------------------------------------------------------ one layer */

bool read_heads(Binder *b, size_t l, bool attends, LayerSizes *s) {
    s->heads = attends ? need_of_layer(b, "attention.head_count", l, 1, MAX_HEADS)
                       : key_of_layer(b, "attention.head_count", l, 0, 0, MAX_HEADS);
    if (!b->ok) return false;
    s->kv_heads = key_of_layer(b, "attention.head_count_kv", l, s->heads, attends, MAX_HEADS);
    if (!attends) s->heads = s->kv_heads = 0;
    return b->ok;
}

static size_t read_length(Binder *b, const char *key, const char *kind, bool required,
                          size_t default_value, size_t min, size_t max) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", key, kind);
    return required ? need_size(b, name, min, max) : key_size(b, name, default_value, min, max);
}

bool read_lengths(Binder *b, const char *kind, bool required, LayerSizes *s) {
    const Recipe *r = b->model->recipe;
    s->head_dim =
        read_length(b, "attention.key_length", kind, required, s->dim / s->heads, 1, 65536);
    s->value_dim =
        read_length(b, "attention.value_length", kind, required, s->head_dim, 1, 65536);
    s->rotary = s->head_dim;
    if (r->rope != ROPE_NONE)
        s->rotary =
            read_length(b, "rope.dimension_count", kind, false, s->head_dim, 0, s->head_dim);
    layer_widths(s);
    s->q_norm = r->head_norms == HEAD_NORMS_ROW ? s->q : s->head_dim;
    s->k_norm = r->head_norms == HEAD_NORMS_ROW ? s->k : s->head_dim;
    return b->ok;
}

bool check_heads(Binder *b, const LayerSizes *s) {
    bool turns = b->model->recipe->rope != ROPE_NONE;
    if (!b->ok) return false;
    if (s->heads % s->kv_heads)
        b->ok = fault_set(b->fault,
                          "%zu heads (attention.head_count) do not divide among %zu "
                          "(attention.head_count_kv)",
                          s->heads, s->kv_heads);
    else if (s->head_dim == 0 || (turns && (s->rotary % 2 || !s->rotary)))
        b->ok = fault_set(
            b->fault, "heads of %zu numbers cannot rotate %zu of them (rope.dimension_count)",
            s->head_dim, s->rotary);
    return b->ok;
}

bool has_rope(const Recipe *r, size_t l) {
    return r->rope != ROPE_NONE && (!r->no_rope_every || (l + 1) % r->no_rope_every);
}

/* Files of a plain family may have experts; the extras have a row for those. */
static bool check_no_experts(Binder *b) {
    char why[160];
    snprintf(why, sizeof why, "models of this family have no experts%s", more_families.advice);
    return check_fixed(b, &(FixedKey){"expert_count", false, 0, why}, 1);
}

bool read_layer(Binder *b, size_t l, LayerSizes *s) {
    const Recipe *r = b->model->recipe;
    if (!check_no_experts(b)) return false;
    s->hidden = need_of_layer(b, "feed_forward_length", l, 1, MAX_SIZE);
    s->gate_in_up = r->gate_in_up;
    s->window = window_in(b, l, r->window_pattern || r->window_everywhere, false);
    s->rope = has_rope(r, l);
    return read_heads(b, l, true, s) && read_lengths(b, "", false, s) && check_heads(b, s);
}

const LayerSizes *attention_sizes(const Model *model) {
    size_t l = 0;
    while (l + 1 < model->sizes.layers && !model->layers[l].heads) l++;
    return &model->layers[l];
}

/* ------------------------------------------------------------------ windows */

static bool windowed_by_list(Binder *b, const char *key, const GgufPair *list, size_t layer) {
    int64_t has = -1;
    bool ok = list->count == b->model->sizes.blocks && gguf_int(list, layer, &has);
    if (!ok || has < 0 || has > 1)
        refuse_key(b, key, "a number, or true or false for each layer",
                   "the file is badly written, convert the model again");
    return has == 1;
}

/* A number p: the last of every p layers has no window. */
static bool is_windowed(Binder *b, size_t layer, bool after) {
    const Recipe *r = b->model->recipe;
    const char *key = "attention.sliding_window_pattern";
    if (r->window_everywhere) return true;
    const GgufPair *pair = find_key(b, key);
    if (pair && pair->type == GGUF_ARRAY) return windowed_by_list(b, key, pair, layer);
    if (!r->window_pattern)
        return refuse_key(b, key, "true or false for each layer", "nothing else says it");
    size_t p = key_size(b, key, r->window_pattern, 1, MAX_SIZE);
    return layer % p != (after ? 0 : p - 1);
}

size_t window_in(Binder *b, size_t layer, bool windows, bool after) {
    const Recipe *r = b->model->recipe;
    size_t window = key_size(b, "attention.sliding_window", r->window, 0, KEY_MAX_CTX);
    if (windows) return window && is_windowed(b, layer, after) ? window : 0;
    if (window && window < b->model->sizes.ctx)
        refuse_key(b, "attention.sliding_window", "0, or not less than context_length",
                   "layers of this family see everything");
    return 0;
}
