/* sizes.c - sizes of a model and of its layers beyond a plain decoder's.  See parts.h. */
#include "families/parts.h"

#include <math.h>

/* ------------------------------------------------------------------ a model */

static void read_granite_scales(Binder *b) {
    Model *m = b->model;
    m->embedding_scale = (float)key_number(b, "embedding_scale", 1, 1e-6, 1e6);
    m->residual_scale = (float)key_number(b, "residual_scale", 1, 1e-6, 1e6);
    m->extras->attention_scale = (float)key_number(b, "attention.scale", 0, 0, 1e6);
    m->extras->logit_scale = 1 / (float)need_number(b, "logit_scale", 1e-6, 1e6);
}

/* Without logit_scale programs disagree about the direction of scaling. */
static void read_minicpm_scales(Binder *b) {
    Model *m = b->model;
    double each = 1.4 / sqrt((double)m->sizes.layers);
    m->embedding_scale = (float)key_number(b, "embedding_scale", 12, 1e-6, 1e6);
    m->residual_scale = (float)key_number(b, "residual_scale", each, 1e-6, 1e6);
    m->extras->logit_scale = 1 / (float)need_number(b, "logit_scale", 1e-6, 1e6);
}

/* Baichuan 13B, and not 7B. */
static bool has_alibi(const Model *m) {
    const size_t layers = m->extras->quirks->alibi_layers;
    return layers && layers == m->sizes.layers;
}

/* sqrt(6144), 1 / sqrt(128) and 1 / sqrt(3), which older files leave out. */
static void read_grok_scales(Binder *b) {
    Model *m = b->model;
    m->embedding_scale = (float)key_number(b, "embedding_scale", 78.38367176906169, 1e-6, 1e6);
    m->extras->attention_scale =
        (float)key_number(b, "attention.output_scale", 0.08838834764831845, 1e-6, 1e6);
    m->extras->logit_scale = (float)key_number(b, "logit_scale", 0.5773502691896257, 1e-6, 1e6);
}

static void read_more_scales(Binder *b) {
    Model *m = b->model;
    ModelExtras *x = m->extras;
    const Quirks *q = x->quirks;
    if (q->scales == SCALES_GRANITE) read_granite_scales(b);
    if (q->scales == SCALES_MINICPM) read_minicpm_scales(b);
    if (q->scales == SCALES_GROK) read_grok_scales(b);
    if (q->scales == SCALES_MINICPM3) {
        m->embedding_scale = 12, x->logit_scale = 256 / (float)m->sizes.dim;
        m->residual_scale = (float)(1.4 / sqrt((double)m->sizes.layers));
    }
    if (q->scales == SCALES_COHERE)
        x->logit_scale = (float)need_number(b, "logit_scale", 1e-6, 1e6);
    if (has_alibi(m))
        x->max_bias = 8;
    else
        x->max_bias = q->max_bias >= 0
                          ? q->max_bias
                          : (float)key_number(b, "attention.max_alibi_bias", 0, 0, 1000);
    x->clamp = q->clamp ? (float)key_number(b, "attention.clamp_kqv", 0, 0, 1e6) : 0;
}

/* Dream: a position's logits predict the next one. */
static void read_logit_shift(Binder *b) {
    const char *key = "diffusion.shift_logits";
    const GgufPair *pair = gguf_find(&b->model->gguf, key);
    char got[96];
    if (!quirks_in(b)->bidirectional || quirks_in(b)->vectors || !b->ok) return;
    extras_of(b)->shift_logits = !pair || (pair->type == GGUF_BOOL && *pair->data);
    if (!pair) return;
    b->used_keys[pair - b->model->gguf.pairs] = true;
    if (pair->type != GGUF_BOOL)
        b->ok = fault_set(b->fault, "key '%s' is %s, wanted true or false", key,
                          value_text(pair, got, sizeof got));
}

/* The decoder's blocks come after the encoder's, which block_count counts. */
static void read_decoder(Binder *b) {
    const char *key = "decoder_start_token_id";
    ModelSizes *s = &b->model->sizes;
    ModelExtras *x = extras_of(b);
    const Tokenizer *t = b->model->tokenizer;
    x->encoder = b->n_first = s->layers;
    s->layers += key_size(b, "decoder_block_count", x->encoder, 1,
                          MODEL_LAYERS - min_size(x->encoder, MODEL_LAYERS - 1));
    s->blocks = s->layers;
    x->start = (int32_t)need_size(b, key, 0, tokenizer_count(t) - 1);
    if (b->ok && x->start == tokenizer_eos(t))
        refuse_key(b, key, "another token than the one that ends a text",
                   "it is what tells a source from what is written");
}

/* Draft heads come after the layers; block_count includes them. */
static void read_draft_heads(Binder *b) {
    ModelSizes *s = &b->model->sizes;
    if (!quirks_in(b)->draft_heads || !b->ok) return;
    extras_of(b)->drafts = key_size(b, "nextn_predict_layers", 0, 0, s->layers - 1);
    s->layers -= extras_of(b)->drafts;
}

static void read_streams(Binder *b) {
    ModelExtras *x = extras_of(b);
    ModelSizes *s = &b->model->sizes;
    if (!x->quirks->streams) return;
    x->streams = key_size(b, "altup.num_inputs", x->quirks->streams, 2, ALTUP_STREAMS);
    key_size(b, "altup.active_idx", 0, 0, 0); /* the first stream is computed */
    s->stream = x->streams * s->dim;
}

bool read_more_sizes(Binder *b) {
    const Quirks *q = quirks_in(b);
    ModelSizes *s = &b->model->sizes;
    if (q->is_draft_head) need_size(b, "block_count", 1, 1);
    if (q->is_vision_tower) {
        s->layers = s->blocks = need_size(b, "block_count", 1, MODEL_LAYERS);
        s->dim = s->stream = need_size(b, "embedding_length", 1, MAX_SIZE);
        read_eps(b);
        b->model->embedding_scale = b->model->residual_scale = 1;
        return b->ok && read_vision(b);
    }
    if (!b->ok || !read_sizes(b)) return false;
    if (q->encoder) read_decoder(b);
    read_draft_heads(b);
    if (q->assists) read_assistant(b);
    read_streams(b);
    read_logit_shift(b);
    read_more_scales(b);
    return b->ok;
}

/* ------------------------------------------------------------------ a layer */

const GgufTensor *matrix_in(const Binder *b, size_t l, const char *name) {
    char full[96];
    return gguf_find_tensor(&b->model->gguf,
                            block_name(b, full, sizeof full, l, name, "weight"));
}

bool has_matrix(const Binder *b, size_t l, const char *name) { return matrix_in(b, l, name); }

/* With recurrent layers, the tensors show which layers have attention; else the number of
 * their keys and values does. */
static bool has_attention(Binder *b, size_t l) {
    const Quirks *q = quirks_in(b);
    switch (q->recurrent) {
    case RECURRENT_NONE:
        return !q->optional_parts ||
               key_of_layer(b, "attention.head_count_kv", l, 1, 0, MAX_HEADS);
    case RECURRENT_KDA: return has_matrix(b, l, "attn_kv_a_mqa");
    case RECURRENT_RWKV:
    case RECURRENT_RWKV6: return false;
    case RECURRENT_DELTA:
    case RECURRENT_DELTA_TILED: return has_matrix(b, l, "attn_q");
    default: return has_matrix(b, l, "attn_q") || has_matrix(b, l, "attn_qkv");
    }
}

static bool has_windows(Binder *b) {
    const Recipe *r = b->model->recipe;
    const Quirks *q = quirks_in(b);
    if (q->window_layers && q->window_layers != b->model->sizes.layers) return false;
    return (r->window_pattern || r->window_everywhere || q->window_listed) &&
           key_size(b, "attention.sliding_window", r->window, 0, KEY_MAX_CTX) > 0;
}

size_t window_of(Binder *b, size_t l) {
    return window_in(b, l, has_windows(b), quirks_in(b)->window_after);
}

static bool more_rope(Binder *b, size_t l, const LayerSizes *s) {
    const Quirks *q = quirks_in(b);
    if (!has_rope(b->model->recipe, l) || has_alibi(b->model)) return false;
    if (q->rope_windows_only && has_windows(b) && s->window == 0) return false;
    return !q->rope_by_key || key_bool(b, "rope.scaling.finetuned", true);
}

/* Windowed layers may have smaller heads, so keys of both kinds must be read. */
static void read_kinds_of_lengths(Binder *b, LayerSizes *s) {
    static const char *const lengths[] = {
        "attention.key_length",     "attention.value_length",     "rope.dimension_count",
        "attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"};
    bool own = quirks_in(b)->window_heads && s->window;
    for (int i = 0; i < 6 && quirks_in(b)->window_heads; i++) find_key(b, lengths[i]);
    read_lengths(b, own ? "_swa" : "", own, s);
}

static void read_gate(Binder *b, LayerSizes *s) {
    const AttentionGate gate = quirks_in(b)->gate;
    LayerExtras *e = s->extras;
    e->gate_in_q = gate == GATE_IN_Q;
    if (gate == GATE_NUMBER) e->attn_gate = s->mixed;
    if (gate == GATE_HEAD) e->attn_gate = s->heads;
    if (!e->gate_in_q) return;
    s->q *= 2;
    if (b->ok && s->value_dim != s->head_dim)
        refuse_key(b, "attention.value_length", "key_length", "gates lie between queries");
}

static bool read_attention(Binder *b, size_t l, LayerSizes *s) {
    const Quirks *q = quirks_in(b);
    LayerExtras *e = s->extras;
    const bool attends = has_attention(b, l);
    layer_widths(s);
    e->map_mixer = q->optional_parts && !attends &&
                   key_of_layer(b, "attention.head_count", l, 0, 0, MAX_HEADS);
    if (e->map_mixer) s->mixed = s->dim;
    if (!read_heads(b, l, attends, s) || !s->heads) return b->ok;
    read_kinds_of_lengths(b, s);
    if (q->is_draft_head) s->in = 2 * s->dim;
    bool lent = q->keys_as_values && !s->window && s->value_dim == s->head_dim;
    e->keys_are_values = lent && !has_matrix(b, l, "attn_v");
    read_gate(b, s);
    if (s->window == 0 && q->rope_full_half) s->rotary /= 2;
    return check_heads(b, s);
}

/* Optional tensors: the first norm, the feed-forward's gate. */
static void read_lacks(Binder *b, size_t l, LayerSizes *s) {
    const Quirks *q = quirks_in(b);
    LayerExtras *e = s->extras;
    const GgufTensor *up = matrix_in(b, l, "ffn_up");
    const bool flat = up && up->ndim == 2;
    e->bare = q->first_without_norm && l == 0 && !has_matrix(b, l, "attn_norm");
    s->gate_in_up = b->model->recipe->gate_in_up;
    e->swapped = q->is_vision_tower && flat && up->shape[1] == s->hidden;
    if (e->swapped && s->hidden == s->dim)
        refuse_key(b, "feed_forward_length", "another number than embedding_length",
                   "old files exchange ffn_up and ffn_down, and nothing shows which this is");
    e->no_gate = q->gate_or_relu && !has_matrix(b, l, "ffn_gate");
    if (!q->gate_optional || has_matrix(b, l, "ffn_gate")) return;
    s->gate_in_up = flat && up->shape[0] == 2 * s->hidden;
    e->no_gate = !s->gate_in_up;
}

bool read_more_layer(Binder *b, size_t l, LayerSizes *s) {
    const Quirks *q = quirks_in(b);
    const bool all = !q->recurrent && !q->optional_parts;
    LayerExtras *e = s->extras;
    e->quirks = q;
    e->drafts = q->is_draft_head || l >= b->model->sizes.layers, e->joined = q->is_draft_head;
    s->hidden = all ? need_of_layer(b, "feed_forward_length", l, 1, MAX_SIZE)
                    : key_of_layer(b, "feed_forward_length", l, 0, 0, MAX_SIZE);
    if (q->half_hidden) s->hidden /= 2;
    read_lacks(b, l, s);
    s->window = window_of(b, l);
    if (!read_attention(b, l, s) || !read_latents(b, l, s) || !read_experts(b, l, s) ||
        !read_recurrent(b, l, s) || !read_shared_kv(b, l, s) || !read_side_inputs(b, e) ||
        !read_source(b, l, e))
        return false;
    s->rope = more_rope(b, l, s);
    return b->ok;
}
