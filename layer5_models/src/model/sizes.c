/* sizes.c - the numbers of a model, from its keys.  See bind.h. */
#include "bind.h"

#include <math.h>

/* No dimension of a real model is larger; so products stay far from overflow. */
enum { MOST = 1 << 24 };
#define MOST_CTX ((size_t)1 << 31)

static bool read_heads(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    bool turns = b->model->recipe->rope != ROPE_NONE;
    s->head_dim = key_size(b, "attention.key_length", false, s->dim / s->heads, 1, 65536);
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

static bool read_experts(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    s->experts = key_size(b, "expert_count", false, 0, 0, MOE_EXPERTS);
    s->experts_used =
        key_size(b, "expert_used_count", s->experts > 0, 0, s->experts > 0, s->experts);
    s->expert_hidden = s->hidden;
    if (s->experts)
        s->expert_hidden = key_size(b, "expert_feed_forward_length", false, s->hidden, 1, MOST);
    return b->ok;
}

float read_softcap(Binder *b, const char *key, float of_family) {
    if (of_family == 0) return 0;
    return (float)key_number(b, key, false, fmax(0, (double)of_family), 0.001, 1e6);
}

static bool read_scales(Binder *b) {
    Model *m = b->model;
    const char *eps = m->recipe->norm == NORM_RMS ? "attention.layer_norm_rms_epsilon"
                                                  : "attention.layer_norm_epsilon";
    m->eps = (float)key_number(b, eps, true, 0, 0, 0.1);
    m->embedding_scale = m->recipe->scale_embedding ? sqrtf((float)m->sizes.dim) : 1;
    m->logit_softcap = read_softcap(b, "final_logit_softcapping", m->recipe->logit_softcap);
    return b->ok;
}

bool read_sizes(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    s->layers = key_size(b, "block_count", true, 0, 1, MODEL_LAYERS);
    s->dim = key_size(b, "embedding_length", true, 0, 1, MOST);
    s->hidden = key_size(b, "feed_forward_length", true, 0, 1, MOST);
    s->heads = key_size(b, "attention.head_count", true, 0, 1, 65536);
    s->kv_heads = key_size(b, "attention.head_count_kv", false, s->heads, 1, 65536);
    s->ctx = key_size(b, "context_length", true, 0, 1, MOST_CTX);
    s->vocab = tokenizer_count(b->model->tokenizer);
    return b->ok && read_heads(b) && read_experts(b) && read_scales(b);
}

size_t trained_ctx(Binder *b) {
    return key_size(b, "rope.scaling.original_context_length", false, b->model->sizes.ctx, 1,
                    MOST_CTX);
}

static RopeScaling read_scaling(Binder *b) {
    Text name = key_text(b, "rope.scaling.type", "linear");
    if (text_equal(name, text_of("none"))) return ROPE_SCALE_NONE;
    if (text_equal(name, text_of("linear"))) return ROPE_SCALE_LINEAR;
    if (text_equal(name, text_of("yarn"))) return ROPE_SCALE_YARN;
    refuse_key(b, "rope.scaling.type", "none, linear or yarn",
               "no other way to stretch a context is built in");
    return ROPE_SCALE_NONE;
}

/* The magnitude of YaRN is 1 + 0.1 ln(factor), and what yarn_log_multiplier m (mscale_all_dim in
 * the papers' code) says is divided out again: 1 + 0.1 m ln(factor). */
static void read_yarn(Binder *b, RopeConfig *c) {
    c->beta_fast = key_number(b, "rope.scaling.yarn_beta_fast", false, 32, 1, 1e6);
    c->beta_slow = key_number(b, "rope.scaling.yarn_beta_slow", false, 1, 0.001, c->beta_fast);
    double out = key_number(b, "rope.scaling.yarn_log_multiplier", false, 0, 0, 10);
    c->attn_factor /= 1 + 0.1 * out * log(c->factor);
}

static void read_stretching(Binder *b, RopeConfig *c) {
    c->scaling = read_scaling(b);
    bool linear = c->scaling == ROPE_SCALE_LINEAR, yarn = c->scaling == ROPE_SCALE_YARN;
    double old = linear ? key_number(b, "rope.scale_linear", false, 1, 0.001, 1e4) : 1;
    c->factor = key_number(b, "rope.scaling.factor", yarn, old, linear ? 0.001 : 1,
                           linear || yarn ? 1e4 : 1);
    c->trained_ctx = (double)trained_ctx(b);
    c->attn_factor =
        key_number(b, "rope.scaling.attn_factor", false, 1, yarn ? 0.001 : 1, yarn ? 1000 : 1);
    if (yarn && b->ok) read_yarn(b, c);
    if (c->factor == 1) c->scaling = ROPE_SCALE_NONE;
}

/* Windowed layers reach no further than they were trained, so where they have a theta of their
 * own there is no stretching. */
static void for_windows(Binder *b, RopeConfig *c) {
    const Recipe *r = b->model->recipe;
    if (r->window_pattern == 0) return;
    bool own = r->window_theta > 0;
    c->theta =
        key_number(b, "rope.freq_base_swa", false, own ? r->window_theta : c->theta, 2, 1e12);
    if (own) c->scaling = ROPE_SCALE_NONE, c->factor = 1;
}

void read_ropes(Binder *b) {
    Model *m = b->model;
    RopeConfig c = {.style = m->recipe->rope, .rotary = m->sizes.rotary, .factor = 1};
    if (c.style != ROPE_NONE) {
        c.theta = key_number(b, "rope.freq_base", false, 10000, 2, 1e12);
        read_stretching(b, &c);
        c.divisors =
            bind_vector(b, "rope_freqs.weight", false, c.rotary / 2, "rope.dimension_count");
    }
    if (!b->ok) return;
    rope_init(&m->ropes[0], &c, &m->arena);
    for_windows(b, &c);
    if (b->ok) rope_init(&m->ropes[1], &c, &m->arena);
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
    size_t p = key_size(b, key, false, b->model->recipe->window_pattern, 1, MOST);
    return layer % p != p - 1;
}

size_t window_of(Binder *b, size_t layer) {
    const Recipe *r = b->model->recipe;
    size_t window = key_size(b, "attention.sliding_window", false, r->window, 0, MOST_CTX);
    if (r->window_pattern) return is_windowed(b, layer) ? window : 0;
    if (window && window < b->model->sizes.ctx)
        refuse_key(b, "attention.sliding_window", "0, or not less than context_length",
                   "layers of this family see everything here");
    return 0;
}
