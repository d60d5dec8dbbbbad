/* sizes_mixers.c - latent attention, experts, and recurrent mixers: sizes from keys.  See
 * parts.h. */
#include "families/parts.h"

enum { MAX_TAPS = 64, DELTA_HEADS = 1024 };

/* The indexer reads the query latent, so there must be one. */
static bool read_indexer(Binder *b, LayerSizes *sizes) {
    LayerExtras *s = sizes->extras;
    if (quirks_in(b)->indexer == INDEXER_NONE) return b->ok;
    s->index_heads = need_size(b, "attention.indexer.head_count", 1, MAX_HEADS);
    s->index_width = need_size(b, "attention.indexer.key_length", 1, 65536);
    s->index_top = need_size(b, "attention.indexer.top_k", 1, KEY_MAX_CTX);
    if (b->ok && s->q_latent == 0)
        return refuse_key(b, "attention.q_lora_rank", "more than 0",
                          "the indexer reads the latents of queries");
    if (b->ok && s->index_width < sizes->rotary)
        return refuse_key(b, "attention.indexer.key_length", "not less than dimension_count",
                          "rope.dimension_count of its numbers are rotated");
    return b->ok;
}

/* The file's key_length and value_length describe the KV cache: with absorbed matrices one
 * latent and the rotated numbers, else the keys and values of all heads. */
bool read_latents(Binder *b, size_t l, LayerSizes *s) {
    LayerExtras *e = s->extras;
    if (!b->ok || !quirks_in(b)->latents || !has_matrix(b, l, "attn_kv_a_mqa")) return b->ok;
    e->absorbed = has_matrix(b, l, "attn_k_b");
    e->latent = need_size(b, "attention.kv_lora_rank", 1, MAX_SIZE);
    e->q_latent = key_size(b, "attention.q_lora_rank", 0, 0, MAX_SIZE);
    s->rotary = need_size(b, "rope.dimension_count", 2, MAX_SIZE);
    if (!read_indexer(b, s)) return false;
    size_t query = s->head_dim, value = s->value_dim;
    if (e->absorbed) {
        query = need_size(b, "attention.key_length_mla", 1, 65536);
        value = need_size(b, "attention.value_length_mla", 1, 65536);
    }
    if (!b->ok) return false;
    size_t kv_heads = e->absorbed ? 1 : s->heads,
           key = e->absorbed ? e->latent + s->rotary : query,
           held = e->absorbed ? e->latent : value;
    if (query <= s->rotary)
        return b->ok =
                   fault_set(b->fault,
                             "queries of %zu numbers (attention.key_length_mla, or key_length) "
                             "have none beside the %zu that rotate (rope.dimension_count)",
                             query, s->rotary);
    e->plain = query - s->rotary, e->latent_value = value;
    s->q = s->heads * query, s->mixed = s->heads * value;
    b->model->sizes.key = max_size(b->model->sizes.key, e->index_width);
    if (s->kv_heads == kv_heads && s->head_dim == key && s->value_dim == held) return true;
    return b->ok = fault_set(
               b->fault,
               "keys of %zu and values of %zu numbers in %zu heads (attention.key_length, "
               "value_length, head_count_kv), wanted %zu, %zu and %zu by "
               "kv_lora_rank, rope.dimension_count and the tensors",
               s->head_dim, s->value_dim, s->kv_heads, key, held, kv_heads);
}

/* Rows of the shared expert: from keys, or from the tensor. */
static size_t shared_hidden(Binder *b, size_t l, size_t each) {
    const GgufTensor *up = matrix_in(b, l, "ffn_up_shexp");
    size_t rows = up && up->ndim == 2 ? up->shape[0] : 0;
    if (find_key(b, "expert_shared_count"))
        rows = each * need_size(b, "expert_shared_count", 0, MOE_EXPERTS);
    return key_size(b, "expert_shared_feed_forward_length", rows, 0, MAX_SIZE);
}

static bool read_groups(Binder *b, LayerExtras *s) {
    if (!quirks_in(b)->weights_by_key) return b->ok;
    size_t groups = key_size(b, "expert_group_count", 0, 0, s->experts),
           used = groups > 1 ? need_size(b, "expert_group_used_count", 1, groups)
                             : key_size(b, "expert_group_used_count", 0, 0, groups);
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

/* Experts of a group share an adjugate. */
static void read_adjugates(Binder *b, const LayerSizes *s) {
    LayerExtras *e = s->extras;
    if (!quirks_in(b)->adjugates || !b->ok) return;
    e->per_group = need_size(b, "experts_per_group", 1, e->experts);
    e->adjugate_hidden =
        key_size(b, "expert_chunk_feed_forward_length", s->head_dim, 1, MAX_SIZE);
    if (b->ok && e->experts % e->per_group != 0)
        refuse_key(b, "experts_per_group", "a divisor of expert_count",
                   "each group of experts has a small one besides");
}

bool read_experts(Binder *b, size_t l, LayerSizes *s) {
    const Quirks *q = quirks_in(b);
    LayerExtras *e = s->extras;
    e->experts = key_size(b, "expert_count", 0, 0, MOE_EXPERTS);
    if (e->experts && !q->experts)
        return refuse_key(b, "expert_count", "0", "models of this family have no experts");
    e->experts_used = e->experts ? need_size(b, "expert_used_count", 1, e->experts)
                                 : key_size(b, "expert_used_count", 0, 0, 0);
    if (!b->ok || e->experts == 0) return b->ok;
    size_t each = q->split_hidden ? s->hidden / e->experts_used : s->hidden;
    e->expert_hidden = key_size(b, "expert_feed_forward_length", each, 1, MAX_SIZE);
    e->shared_hidden = shared_hidden(b, l, e->expert_hidden);
    read_groups(b, e), read_adjugates(b, s);
    if (q->latent_experts) e->expert_latent = key_size(b, "moe_latent_size", 0, 0, MAX_SIZE);
    e->dense_and_experts = q->dense_and_experts;
    if (has_matrix(b, l, "ffn_gate_inp")) /* dense layers have no router */
        s->hidden = e->dense_and_experts ? s->hidden : q->experts_ahead ? s->dim : 0;
    else
        e->dense_and_experts = false, e->expert_latent = e->experts = e->experts_used =
                                          e->expert_hidden = e->shared_hidden = 0;
    return b->ok;
}

static bool check_ssm(Binder *b, const LayerExtras *s) {
    if (!b->ok || !s->ssm_heads) return b->ok;
    if (s->ssm_inner % s->ssm_heads == 0 && s->ssm_heads % s->ssm_groups == 0) return true;
    return b->ok = fault_set(b->fault,
                             "%zu channels (ssm.inner_size) do not divide among %zu heads "
                             "(ssm.time_step_rank), or those among %zu groups "
                             "(ssm.group_count)",
                             s->ssm_inner, s->ssm_heads, s->ssm_groups);
}

static bool read_ssm(Binder *b, size_t l, bool heads, LayerExtras *s) {
    size_t inner = need_size(b, "ssm.inner_size", 1, MAX_SIZE);
    s->ssm_state = need_size(b, "ssm.state_size", 1, MAMBA_STATE);
    s->ssm_taps = need_size(b, "ssm.conv_kernel", 1, MAX_TAPS);
    s->ssm_rank = need_size(b, "ssm.time_step_rank", 1, heads ? MAX_HEADS : MAX_SIZE);
    s->ssm_groups = heads ? need_size(b, "ssm.group_count", 1, MAX_HEADS)
                          : key_size(b, "ssm.group_count", 0, 0, 0);
    if (heads) s->ssm_heads = s->ssm_rank;
    if (has_matrix(b, l, "ssm_in")) s->ssm_inner = inner;
    return check_ssm(b, s);
}

static bool read_delta(Binder *b, size_t l, LayerExtras *s) {
    size_t inner = need_size(b, "ssm.inner_size", 1, MAX_SIZE),
           taps = need_size(b, "ssm.conv_kernel", 1, MAX_TAPS),
           keys = need_size(b, "ssm.group_count", 1, DELTA_HEADS),
           heads = need_size(b, "ssm.time_step_rank", 1, DELTA_HEADS),
           dim = need_size(b, "ssm.state_size", 1, DELTA_DIM);
    if (b->ok && (inner != heads * dim || heads % keys))
        return b->ok = fault_set(
                   b->fault,
                   "%zu heads (ssm.time_step_rank) of %zu (ssm.state_size) are not %zu "
                   "(ssm.inner_size), or do not divide among %zu (ssm.group_count)",
                   heads, dim, inner, keys);
    if (!b->ok || !has_matrix(b, l, "ssm_out")) return b->ok;
    s->delta_heads = heads, s->delta_keys = keys, s->delta_dim = dim, s->delta_taps = taps;
    s->delta_fused_ba = has_matrix(b, l, "ssm_ba");
    return true;
}

static bool read_kda(Binder *b, size_t l, LayerExtras *s) {
    size_t taps = need_size(b, "ssm.conv_kernel", 1, MAX_TAPS),
           dim = need_size(b, "kda.head_dim", 1, DELTA_DIM),
           heads = need_of_layer(b, "attention.head_count", l, 1, DELTA_HEADS);
    if (!b->ok || !has_matrix(b, l, "ssm_f_a")) return b->ok;
    s->delta_heads = s->delta_keys = heads, s->delta_dim = dim, s->delta_taps = taps;
    s->delta_per_number = true;
    return true;
}

/* Ranks of the maps.  The first layer's value map has a's rank. */
static void read_ranks(Binder *b, size_t l, bool six, LayerExtras *s) {
    if (six) {
        s->rwkv_shift = need_size(b, "time_mix_extra_dim", 1, MAX_SIZE);
        s->rwkv_w = need_size(b, "time_decay_extra_dim", 1, MAX_SIZE);
        return;
    }
    s->rwkv_w = need_size(b, "attention.decay_lora_rank", 1, MAX_SIZE);
    s->rwkv_a = need_size(b, "attention.iclr_lora_rank", 1, MAX_SIZE);
    s->rwkv_v = need_size(b, "attention.value_residual_mix_lora_rank", 1, MAX_SIZE);
    s->rwkv_g = b->model->recipe->gated
                    ? key_size(b, "attention.gate_lora_rank", 0, 0, MAX_SIZE)
                    : need_size(b, "attention.gate_lora_rank", 1, MAX_SIZE);
    if (l == 0) s->rwkv_v = s->rwkv_a;
}

/* Heads of `dim` numbers; RWKV 6 may have fewer of keys and values. */
static bool read_rwkv_heads(Binder *b, size_t l, bool six, LayerSizes *sizes) {
    LayerExtras *s = sizes->extras;
    const size_t dim = need_size(b, "wkv.head_size", 1, RWKV_DIM),
                 kv = six ? key_of_layer(b, "attention.head_count_kv", l, 0, 0, MAX_HEADS) : 0;
    if (!b->ok) return false;
    s->rwkv_dim = dim, s->rwkv_heads = sizes->dim / dim;
    s->rwkv_kv_heads = kv ? kv : s->rwkv_heads;
    if (sizes->dim % dim == 0 && s->rwkv_heads % s->rwkv_kv_heads == 0) return true;
    return b->ok = sizes->dim % dim
                       ? fault_set(b->fault,
                                   "%zu numbers (embedding_length) do not divide into "
                                   "heads of %zu (wkv.head_size)",
                                   sizes->dim, dim)
                       : fault_set(b->fault,
                                   "%zu heads (embedding_length / wkv.head_size) do not divide "
                                   "among %zu of keys and values (attention.head_count_kv)",
                                   s->rwkv_heads, kv);
}

/* RWKV: every layer has the time mix.  With a gated network (QRWKV 6, ARWKV 7) it is the only
 * one that is shifted; else the second one is the layer's network. */
static bool read_rwkv(Binder *b, size_t l, bool six, LayerSizes *sizes) {
    const bool gated = b->model->recipe->gated;
    const FixedKey shifts = {"token_shift_count", false, gated ? 1 : 2,
                             gated ? "the time mix alone reads the token before"
                                   : "both mixes read the token before"};
    LayerExtras *s = sizes->extras;
    read_ranks(b, l, six, s);
    check_fixed(b, &shifts, 1);
    if (sizes->hidden == 0)
        refuse_key(b, "feed_forward_length", "an integer above 0", "every layer has a network");
    if (!read_rwkv_heads(b, l, six, sizes)) return false;
    s->rwkv_first = !six && l == 0;
    s->rwkv_fused = !six || !has_matrix(b, l, "time_mix_lerp_w");
    s->rwkv_norm = !gated || (!six && has_matrix(b, l, "time_mix_ln"));
    if (gated) return b->ok;
    const size_t halved = six ? key_size(b, "rescale_every_n_layers", 0, 0, MODEL_LAYERS) : 0;
    s->rwkv_halves = halved && (l + 1) % halved == 0;
    s->rwkv_hidden = sizes->hidden, sizes->hidden = 0;
    return b->ok;
}

/* The mixer that a layer has beside attention, or in its place. */
bool read_recurrent(Binder *b, size_t l, LayerSizes *sizes) {
    const Recurrent kind = quirks_in(b)->recurrent;
    LayerExtras *s = sizes->extras;
    size_t taps;
    switch (kind) {
    case RECURRENT_NONE: break;
    case RECURRENT_MAMBA:
    case RECURRENT_MAMBA2: return read_ssm(b, l, kind == RECURRENT_MAMBA2, s);
    case RECURRENT_DELTA:
    case RECURRENT_DELTA_TILED: return read_delta(b, l, s);
    case RECURRENT_KDA: return read_kda(b, l, s);
    case RECURRENT_RWKV:
    case RECURRENT_RWKV6: return read_rwkv(b, l, kind == RECURRENT_RWKV6, sizes);
    case RECURRENT_SHORT_CONV:
        taps = need_size(b, "shortconv.l_cache", 2, MAX_TAPS);
        if (has_matrix(b, l, "shortconv.conv")) s->short_conv = taps;
    }
    return b->ok;
}
