/* recipe_need.c - which tensors a block of a family has.  See recipe.h. */
#include "recipe.h"

static Need when(bool condition) { return condition ? NEED_YES : NEED_NO; }

/* Of a mixer other than attention. */
static Need recurrent_need(const Recipe *r, RoleId id, const LayerSizes *s) {
    if (id >= ROLE_SHORT_CONV_IN) return when(s->short_conv);
    if (!s->ssm_inner) return NEED_NO;
    switch (id) {
    case ROLE_SSM_X:
    case ROLE_SSM_DT: return when(!s->ssm_heads);
    case ROLE_SSM_NORM:
        return !s->ssm_heads ? NEED_NO : r->ssm_norm_maybe ? NEED_MAYBE : NEED_YES;
    case ROLE_SSM_CONV_BIAS: return NEED_MAYBE;
    case ROLE_SSM_DT_NORM:
    case ROLE_SSM_B_NORM:
    case ROLE_SSM_C_NORM: return when(r->ssm_norms);
    default: return NEED_YES;
    }
}

/* Of a delta net. */
static Need delta_need(RoleId id, const LayerSizes *s) {
    if (!s->delta_heads) return NEED_NO;
    switch (id) {
    case ROLE_DELTA_DECAY_A:
    case ROLE_DELTA_GATE_A: return when(s->delta_each);
    case ROLE_DELTA_DECAY:
    case ROLE_DELTA_BETA: return when(!s->delta_both);
    case ROLE_DELTA_BOTH: return when(s->delta_both);
    default: return NEED_YES;
    }
}

/* Of attention by way of latents. */
static Need latent_need(RoleId id, const LayerSizes *s) {
    switch (id) {
    case ROLE_ATTN_Q: return when(!s->q_latent);
    case ROLE_LATENT_Q_A:
    case ROLE_LATENT_Q_NORM:
    case ROLE_LATENT_Q_B: return when(s->q_latent);
    case ROLE_LATENT_K_B:
    case ROLE_LATENT_V_B: return when(s->absorbed);
    case ROLE_LATENT_KV_B: return when(!s->absorbed);
    case ROLE_INDEX_Q:
    case ROLE_INDEX_K:
    case ROLE_INDEX_GAIN:
    case ROLE_INDEX_BIAS:
    case ROLE_INDEX_WEIGH: return when(s->index_heads);
    case ROLE_LATENT_KV_A:
    case ROLE_LATENT_KV_NORM:
    case ROLE_ATTN_OUTPUT: return NEED_YES;
    default: return NEED_NO;
    }
}

/* Of experts beside a network, of latents, of what comes beside the stream. */
static Need beside_need(const Recipe *r, RoleId id, const LayerSizes *s) {
    switch (id) {
    case ROLE_LATENT_DOWN:
    case ROLE_LATENT_UP: return when(s->experts && s->expert_latent);
    case ROLE_LAYER_GATE:
    case ROLE_LAYER_OUT:
    case ROLE_LAYER_NORM: return when(s->input);
    case ROLE_OUTPUT_SCALE: return when(r->output_scale);
    case ROLE_ALTUP_ROUTER:
    case ROLE_ALTUP_NORM:
    case ROLE_ALTUP_PREDICT:
    case ROLE_ALTUP_CORRECT:
    case ROLE_ALTUP_SCALE: return when(s->streams);
    case ROLE_LAUREL_LEFT:
    case ROLE_LAUREL_RIGHT:
    case ROLE_LAUREL_NORM: return when(s->laurel);
    default: return when(s->beside);
    }
}

/* Of RWKV.  Files carry the first layer's share of the first layer's values, too; it is not used. */
static Need rwkv_need(RoleId id, const LayerSizes *s) {
    bool share = id >= ROLE_RWKV_VALUE0 && id <= ROLE_RWKV_VALUE2;
    return !s->rwkv_heads ? NEED_NO : share && s->rwkv_first ? NEED_MAYBE : NEED_YES;
}

Need recipe_need(const Recipe *r, RoleId id, const LayerSizes *s) {
    if (id == ROLE_JOIN) return when(s->drafts && !s->joined);
    if (id >= ROLE_JOIN_TOKEN_NORM) return when(s->drafts);
    if (id >= ROLE_RWKV_R) return rwkv_need(id, s);
    if (id >= ROLE_DELTA_Q) return delta_need(id, s);
    if (id >= ROLE_LATENT_DOWN && id <= ROLE_LAUREL_NORM) return beside_need(r, id, s);
    Need shared = r->idle_kv ? NEED_MAYBE : NEED_NO;
    bool maybe_parallel = r->wiring == &parallel_wiring || r->parallel_by_norm;
    if (id >= ROLE_SSM_IN && id <= ROLE_SHORT_CONV_OUT) return recurrent_need(r, id, s);
    if (id >= ROLE_ATTN_Q && id <= ROLE_ATTN_SINKS && !s->heads) return NEED_NO;
    if (id >= ROLE_ATTN_Q && id <= ROLE_ATTN_SINKS && s->latent) return latent_need(id, s);
    if (id >= ROLE_LATENT_Q_A && id <= ROLE_INDEX_WEIGH) return NEED_NO;
    if ((id == ROLE_FFN_NORM || id == ROLE_FFN_POST_NORM) && !s->hidden && !s->experts)
        return NEED_NO;
    switch (id) {
    case ROLE_ATTN_NORM_2: return r->second_norm ? NEED_MAYBE : NEED_NO;
    case ROLE_ATTN_NORM:
        return when(!r->no_pre_norms && !s->bare && !s->joined &&
                    (!r->recurrent || s->heads || s->ssm_inner || s->short_conv ||
                     s->delta_heads || s->rwkv_heads));
    case ROLE_FFN_NORM:
        return r->no_pre_norms ? NEED_NO : maybe_parallel ? NEED_MAYBE : NEED_YES;
    case ROLE_ATTN_POST_NORM:
    case ROLE_FFN_POST_NORM: return when(r->post_norms);
    case ROLE_ATTN_K: return s->back ? shared : NEED_YES;
    case ROLE_ATTN_V: return s->back ? shared : when(!s->keys_are_values);
    case ROLE_ATTN_K_NORM:
        if (s->back) return shared;
        /* fall through */
    case ROLE_ATTN_Q_NORM:
        if (r->head_norms == HEAD_NORMS_OWN || r->head_norms == HEAD_NORMS_MAYBE ||
            r->head_norms == HEAD_NORMS_ROW_MAYBE)
            return NEED_MAYBE;
        return when(r->head_norms == HEAD_NORMS_SHARED || r->head_norms == HEAD_NORMS_ROW);
    case ROLE_ATTN_RELATIVE:
        return s->first ? when(s->buckets) : s->buckets ? NEED_MAYBE : NEED_NO;
    case ROLE_CROSS_NORM:
    case ROLE_CROSS_Q:
    case ROLE_CROSS_K:
    case ROLE_CROSS_V:
    case ROLE_CROSS_OUT: return when(s->cross);
    case ROLE_ATTN_SINKS: return r->sinks_maybe ? NEED_MAYBE : when(r->sinks);
    case ROLE_ATTN_GATE: return when(s->attn_gate);
    case ROLE_ATTN_SUB_NORM: return when(r->sub_norms);
    case ROLE_FFN_SUB_NORM: return when(r->sub_norms && s->hidden);
    case ROLE_FFN_GATE: return when(s->hidden && r->gated && !s->no_gate);
    case ROLE_FFN_UP:
    case ROLE_FFN_DOWN: return when(s->hidden);
    case ROLE_EXPERTS_GATE: return when(s->experts && r->gated);
    case ROLE_ROUTER:
    case ROLE_EXPERTS_UP:
    case ROLE_EXPERTS_DOWN: return when(s->experts);
    case ROLE_ROUTER_BIAS: return s->experts && r->choice_bias ? NEED_MAYBE : NEED_NO;
    case ROLE_SHARED_ROUTER: return when(s->shared_hidden && r->shared_gate);
    case ROLE_SHARED_GATE: return when(s->shared_hidden && r->gated);
    case ROLE_SHARED_UP:
    case ROLE_SHARED_DOWN: return when(s->shared_hidden);
    default: return NEED_YES;
    }
}
