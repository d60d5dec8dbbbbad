/* bind_block.c - a block's tensors and settings beyond a plain decoder's.  See parts.h. */
#include "families/parts.h"

#include <math.h>

/* ------------------------------------------------------------------ attention */

static float score_scale(const Model *m, const LayerSizes *s, float usual) {
    const ModelExtras *x = m->extras;
    const LayerExtras *e = s->extras;
    if (x->attention_scale > 0) return x->attention_scale;
    if (x->quirks->score_scale > 0) return x->quirks->score_scale;
    if (e->latent) return x->latent_scale / sqrtf((float)(e->plain + s->rotary));
    return usual;
}

static size_t temperature_length(Binder *b) {
    bool grows = key_number(b, "attention.temperature_scale", 0, 0, 10) > 0;
    return grows ? need_size(b, "attention.temperature_length", 1, KEY_MAX_CTX)
                 : key_size(b, "attention.temperature_length", 1, 1, KEY_MAX_CTX);
}

/* Queries grow with the position.  Llama 4 counts from 1, with its own constants. */
static void set_temperature(Binder *b, Attention *a, const LayerSizes *s) {
    const Quirks *q = quirks_in(b);
    if (q->temperature) {
        a->q_temperature = (float)key_number(b, "attention.temperature_scale", 0, 0, 10);
        a->temperature_ctx = (float)(q->latents ? temperature_length(b) : trained_ctx(b));
    }
    if (q->no_rope_temperature_ctx && !s->rope) {
        a->q_temperature = 0.1f;
        a->temperature_ctx = (float)q->no_rope_temperature_ctx;
        a->temperature_from = 1;
    }
}

/* Head norms that are optional, have gains per head, or have no gains. */
static void set_head_norms(Binder *b, Block *block, const LayerSizes *s, size_t layer) {
    const Quirks *q = quirks_in(b);
    const char *from = role_of(ROLE_ATTN_Q_NORM)->from;
    Attention *a = &block->attention;
    char name[96];
    if (q->head_norms_optional) {
        bind_role(b, block, ROLE_ATTN_Q_NORM, layer, NEED_MAYBE);
        if (a->q_norm.kind) bind_role(b, block, ROLE_ATTN_K_NORM, layer, NEED_YES);
    }
    if (q->head_norms_own) {
        block_name(b, name, sizeof name, layer, "attn_q_norm", NULL);
        a->q_norm = bind_norm(b, name, false, s->heads, s->head_dim, from);
        block_name(b, name, sizeof name, layer, "attn_k_norm", NULL);
        if (a->q_norm.kind)
            a->k_norm = bind_norm(b, name, true, s->kv_heads, s->head_dim, from);
    }
    a->norm_after_rope = q->head_norms_late;
    const bool maverick = key_size(b, "expert_count", 0, 0, MOE_EXPERTS) == 128;
    if (!q->head_norms_unit || !s->rope || maverick) return;
    a->q_norm = a->k_norm =
        (Norm){.kind = NORM_RMS, .width = s->head_dim, .eps = b->model->eps};
    a->norm_after_rope = true;
}

/* Shared keys and values are not computed. */
static void set_shared_kv(Attention *a, size_t back) {
    a->kv_back = back;
    if (!back) return;
    a->k = a->v = (Linear){.bias = NULL};
    a->k_norm = (Norm){.kind = NORM_NONE};
}

static void set_more_attention(Binder *b, Block *block, size_t layer) {
    const Model *m = b->model;
    const ModelExtras *x = m->extras;
    const LayerSizes *s = &m->layers[layer];
    const Quirks *q = x->quirks;
    Attention *a = &block->attention;
    a->clamp = x->clamp;
    a->shape.scale = score_scale(m, s, a->shape.scale);
    a->shape.max_bias = x->max_bias;
    a->shape.mask.causal = !q->bidirectional && !s->extras->encodes;
    a->shape.mask.chunk = s->rope ? q->chunk : 0;
    a->gate_in_q = s->extras->gate_in_q;
    if (q->value_norms)
        a->v_norm = (Norm){.kind = m->recipe->norm, .width = s->value_dim, .eps = m->eps};
    if (q->value_scale)
        a->v_scale = (float)key_number(b, "attention.value_scale", 1, 1e-6, 1e6);
    set_temperature(b, a, s);
    set_head_norms(b, block, s, layer);
    set_shared_kv(a, s->extras->kv_back);
}

/* The indexer rotates its first numbers, in halves.  Its keys come after all layers' keys. */
static void set_indexer(const Model *m, Indexer *x, const LayerExtras *e, size_t layer) {
    x->heads = e->quirks->indexer == INDEXER_CHOOSES ? e->index_heads : 0;
    x->width = e->index_width, x->top = e->index_top;
    x->k_norm = (Norm){.kind = NORM_LAYER, .width = x->width, .eps = 1e-6f};
    x->rope = m->ropes[0];
    x->rope.style = ROPE_HALF_SPLIT;
    x->layer = e->drafts ? 1 : m->sizes.layers + layer; /* a draft head has its own cache */
}

static void set_mla(const Model *m, Mla *mla, const LayerSizes *s, size_t layer) {
    const LayerExtras *e = s->extras;
    mla->rank = e->latent, mla->rotary = s->rotary;
    mla->plain = e->plain, mla->value = e->latent_value;
    if (e->index_heads) set_indexer(m, &mla->index, e, layer);
}

static void set_cross(Attention *a, const LayerSizes *s, float scale) {
    a->shape = (AttentionShape){.heads = s->heads,
                                .kv_heads = s->kv_heads,
                                .head_dim = s->head_dim,
                                .value_dim = s->value_dim,
                                .scale = scale,
                                .cross = true};
}

/* A block without a bias table uses the first one of its kind.  In old files the first block
 * also has biases of cross attention, which no program reads. */
static void set_relative(Binder *b, Block *block, const LayerSizes *s, size_t layer) {
    const Model *m = b->model;
    const LayerExtras *e = s->extras;
    const size_t first = layer < m->extras->encoder ? 0 : m->extras->encoder,
                 shape[2] = {e->buckets, s->heads};
    Relative *relative = &block->extras->relative;
    char name[96];
    if (!relative->table && m->blocks)
        relative->table = m->blocks[first].extras->relative.table;
    relative_init(relative, s->heads, e->buckets, !block->attention.shape.mask.causal);
    block->attention.shape.relative = relative;
    if (e->cross && e->first)
        bind_tensor(b, block_name(b, name, sizeof name, layer, "cross_attn_rel_b", "weight"),
                    false, 2, shape, role_of(ROLE_ATTN_RELATIVE)->from);
}

/* ------------------------------------------------------------------ other mixers */

/* Of the norm per head: 64 times that of other norms, whatever the head size. */
#define RWKV_EPS 64e-5f

static void set_rwkv(Rwkv *m, const LayerExtras *e) {
    m->d = e->rwkv_dim, m->heads = e->rwkv_heads, m->first = e->rwkv_first;
    m->six.kv_heads = e->rwkv_kv_heads;
    if (e->rwkv_norm)
        m->norm = (Norm){.kind = NORM_LAYER, .width = m->d, .own_gain = true, .eps = RWKV_EPS};
}

/* After the tensors: RWKV 6's mu are one tensor, or five in old files; some blocks halve x,
 * where what they add was divided before, to stay within F16's range. */
static void finish_rwkv(BlockExtras *extras, const LayerSizes *s) {
    static const float half = 0.5f;
    Rwkv *m = &extras->rwkv;
    for (size_t j = 0; s->extras->rwkv_shift && s->extras->rwkv_fused && j < RWKV6_MIXES; j++)
        m->six.mus[j] = m->mu ? m->mu + j * s->dim : NULL;
    if (s->extras->rwkv_halves) extras->output_scale = &half;
}

static void set_mamba(Binder *b, Mamba *m, const LayerSizes *s) {
    const float eps = b->model->eps;
    const LayerExtras *e = s->extras;
    m->inner = e->ssm_inner, m->n = e->ssm_state;
    m->heads = e->ssm_heads, m->groups = e->ssm_groups;
    m->conv.channels = more_ssm_conv(s);
    m->conv.taps = e->ssm_taps, m->conv.silu = true;
    if (!e->ssm_heads && key_bool(b, "ssm.dt_b_c_rms", false)) { /* Falcon Mamba */
        m->dt_norm = (Norm){.kind = NORM_RMS, .width = e->ssm_rank, .eps = eps};
        m->b_norm = m->c_norm = (Norm){.kind = NORM_RMS, .width = e->ssm_state, .eps = eps};
    }
}

/* ------------------------------------------------------------------ networks */

static void set_router(Binder *b, Router *router, const LayerSizes *s) {
    static const RouterScore scores[] = {ROUTER_SOFTMAX, ROUTER_SIGMOID, ROUTER_SOFTMAX_CHOSEN};
    const Quirks *q = quirks_in(b);
    const LayerExtras *e = s->extras;
    router->score = q->router, router->used = e->experts_used;
    router->ahead = q->router_ahead;
    router->renormalize = q->renormalize, router->weight_input = q->weight_input;
    router->groups = e->groups, router->groups_used = e->groups_used;
    if (e->dense_and_experts) { /* its input has unit length, times its gain */
        router->norm.kind = b->model->recipe->norm, router->norm.width = s->dim;
        router->norm.eps = b->model->eps, router->score_scale = 1 / sqrtf((float)s->dim);
    }
    if (q->router_by_key && find_key(b, "expert_gating_func"))
        router->score = scores[need_size(b, "expert_gating_func", 1, 3) - 1];
    if (q->router_softcap)
        router->softcap = (float)key_number(b, "router_logit_softcapping", 0, 0, 1e6);
    if (!q->weights_by_key) return;
    if (!q->renormalize) router->renormalize = key_bool(b, "expert_weights_norm", false);
    router->scale = (float)key_number(b, "expert_weights_scale", 0, 0, 1e6);
}

/* Gate and up of an expert, one after the other in one stack: newer files of Gemma 4, and those
 * that were converted to have it.  A view with gaps is enough for either of them. */
static bool bind_gate_up(Binder *b, Experts *e, const LayerSizes *s, size_t layer) {
    const Role *up = role_of(ROLE_EXPERTS_UP);
    const size_t hidden = up->rows(s), shape[3] = {up->count(s), 2 * hidden, up->cols(s)};
    char name[96];
    block_name(b, name, sizeof name, layer, "ffn_gate_up_exps", "weight");
    Linear both = {.w = bind_tensor(b, name, false, 3, shape, up->from)};
    if (!both.w.data) return false;
    bind_scale(b, &both, name, shape[0], up->from);
    both.w.shape[1] = hidden;
    e->net.gate = e->net.up = both;
    e->net.up.w.data = (char *)both.w.data + hidden * both.w.stride[1];
    return true;
}

/* The file has two of the numbers before softplus, which keeps them positive. */
static void set_xielu(Binder *b, Xielu *c, size_t layer) {
    double p = xielu_number(b, "xielu.alpha_p", layer),
           n = xielu_number(b, "xielu.alpha_n", layer);
    c->beta = (float)xielu_number(b, "xielu.beta", layer);
    c->eps = (float)xielu_number(b, "xielu.eps", layer);
    c->p = (float)log1p(exp(p)), c->n = c->beta + (float)log1p(exp(n));
}

static Activation activation_of(Binder *b, const LayerExtras *e) {
    const Recipe *r = b->model->recipe;
    const Quirks *q = e->quirks;
    const char *key = "hidden_activation";
    if (q->is_vision_tower) return extras_of(b)->vision.act;
    if (e->no_gate && q->gate_or_relu) return ACT_RELU;
    if (!q->act_by_key || !find_key(b, key)) return r->act;
    Text name = key_text(b, key, "");
    if (text_equal(name, text_of("silu"))) return ACT_SILU;
    if (!text_equal(name, text_of("gelu")))
        refuse_key(b, key, "gelu or silu", "networks of this family have no other");
    return ACT_GELU_TANH;
}

static void set_adjugates(Binder *b, Experts *experts, const LayerExtras *e) {
    if (!e->quirks->adjugates || !e->experts) return;
    experts->per_group = e->per_group;
    experts->adjugate_scale = (float)need_number(b, "expert_group_scale", 0, 1e6);
}

/* Clamps per layer; 0: none. */
static void set_network(Binder *b, Block *block, const LayerSizes *s, size_t layer) {
    const Quirks *q = quirks_in(b);
    FeedForward *f = &block->ffn;
    f->act = activation_of(b, s->extras);
    f->gated = b->model->recipe->gated && !s->extras->no_gate;
    if (s->extras->experts) set_router(b, &block->extras->experts.router, s);
    if (block->extras->experts.router.expert_scale) /* the same tensor: once is enough */
        block->extras->experts.net.down.scale = NULL;
    set_adjugates(b, &block->extras->experts, s->extras);
    if (q->sparse_layers) f->cut = read_sparsity(b, layer);
    if (q->xielu) set_xielu(b, &f->xielu, layer);
    if (!q->limits) return;
    block->extras->experts.limit =
        (float)number_of_layer(b, "swiglu_clamp_exp", layer, 0, 0, 1e6);
    f->limit = (float)number_of_layer(b, "swiglu_clamp_shexp", layer, 0, 0, 1e6);
}

/* ------------------------------------------------------------------ all of it */

/* What a draft head has of its own.  Only the first one is used. */
static void bind_draft_ends(Binder *b, size_t layer) {
    const Model *m = b->model;
    const size_t dim = m->sizes.dim, table[2] = {m->sizes.vocab, dim};
    const char *from = "tokenizer.ggml.tokens and embedding_length";
    char name[96];
    const size_t size = sizeof name;
    DraftEnds idle = {.embedding.data = NULL};
    DraftEnds *ends = layer == m->sizes.layers ? &m->extras->draft : &idle;
    *ends = (DraftEnds){0};
    ends->embedding =
        bind_tensor(b, block_name(b, name, size, layer, "nextn.embed_tokens", "weight"), false,
                    2, table, from);
    ends->head.w =
        bind_tensor(b, block_name(b, name, size, layer, "nextn.shared_head_head", "weight"),
                    false, 2, table, from);
    ends->out_norm =
        bind_norm(b, block_name(b, name, size, layer, "nextn.shared_head_norm", NULL), false, 1,
                  dim, "embedding_length");
}

static void set_mixers(Binder *b, Block *block, const LayerSizes *s, size_t layer) {
    const LayerExtras *e = s->extras;
    if (e->cross) set_cross(&block->extras->cross.attention, s, block->attention.shape.scale);
    if (e->latent) set_mla(b->model, &block->extras->mla, s, layer);
    if (e->delta_heads) set_delta(b, &block->extras->delta, s);
    if (e->rwkv_heads) set_rwkv(&block->extras->rwkv, e);
    if (e->ssm_inner) set_mamba(b, &block->extras->mamba, s);
    block->extras->short_conv.conv.channels = s->dim;
    block->extras->short_conv.conv.taps = e->short_conv;
    block->extras->altup.streams = e->streams;
    block->extras->layer_input.act = b->model->recipe->act;
}

static void bind_more_roles(Binder *b, Block *block, const LayerSizes *s, size_t layer) {
    static const RoleId delta[] = {ROLE_DELTA_Q, ROLE_DELTA_K, ROLE_DELTA_V};
    const LayerExtras *e = s->extras;
    const bool one = e->delta_heads && !e->delta_per_number, /* one map, and one convolution */
        has_in = one && bind_delta_in(b, &block->extras->delta, s, layer),
               has_delta = has_in || (one && bind_fused(b, block, "attn_qkv", delta, 3, layer));
    const bool has_gate_up = need_of(b->model, ROLE_EXPERTS_GATE, layer) == NEED_YES &&
                             bind_gate_up(b, &block->extras->experts, s, layer);
    if (one) bind_delta_conv(b, &block->extras->delta, s, layer);
    for (RoleId id = CORE_ROLES; id < role_count() && b->ok; id++) {
        bool done = (has_delta && id >= ROLE_DELTA_Q && id <= ROLE_DELTA_V) ||
                    (has_in && id == ROLE_DELTA_GATE) ||
                    (has_gate_up && (id == ROLE_EXPERTS_GATE || id == ROLE_EXPERTS_UP)) ||
                    (one && id >= ROLE_DELTA_Q_CONV && id <= ROLE_DELTA_V_CONV);
        Need need = need_of(b->model, id, layer);
        if (!done && need != NEED_NO) bind_role(b, block, id, layer, need);
    }
}

void bind_more_block(Binder *b, Block *block, size_t layer) {
    Model *m = b->model;
    const LayerSizes *s = &m->layers[layer];
    BlockExtras spare = {.mla.rank = 0}, *more = arena_take(&m->arena, 1, sizeof *more);
    bind_block(b, block, layer);
    block->extras = more ? more : &spare; /* while the arena measures */
    if (s->heads) set_more_attention(b, block, layer);
    set_mixers(b, block, s, layer);
    bind_more_roles(b, block, s, layer);
    if (m->extras->quirks->no_gains)
        block->attn_norm = block->ffn_norm =
            (Norm){.kind = m->recipe->norm, .width = s->dim, .eps = m->eps};
    finish_rwkv(block->extras, s);
    if (s->extras->joined) bind_depths(b, &block->extras->join);
    if (m->extras->quirks->is_vision_tower) bind_vision_block(b, block, layer);
    if (s->extras->buckets) set_relative(b, block, s, layer);
    set_network(b, block, s, layer);
    if (layer >= m->sizes.layers) bind_draft_ends(b, layer);
    const bool parallel = m->extras->quirks->parallel_by_norm && !block->ffn_norm.kind;
    block->mixer[0] = NULL, block->network = NULL;
    block_choose(block, parallel ? &parallel_wiring : block->wiring);
}
