/* roles.c - roles of other families, after the core's.  See roles.h. */
#include "families/parts.h"

#include <stddef.h>

static const char dim[] = "embedding_length",
                  heads[] = "attention.head_count, head_count_kv, key_length, value_length and "
                            "embedding_length",
                  latents[] =
                      "attention.kv_lora_rank, q_lora_rank, the lengths of keys and values "
                      "and rope.dimension_count",
                  index[] = "attention.indexer.head_count, key_length and q_lora_rank",
                  network[] = "feed_forward_length and embedding_length",
                  experts[] = "expert_count, expert_feed_forward_length and embedding_length",
                  adjugate[] = "expert_count, experts_per_group, "
                               "expert_chunk_feed_forward_length and embedding_length",
                  shared[] = "expert_shared_feed_forward_length and embedding_length",
                  latent[] = "moe_latent_size and embedding_length",
                  input[] = "embedding_length_per_layer_input and embedding_length",
                  parts[] = "altup.num_inputs and embedding_length",
                  laurel[] = "the family's 64 and embedding_length", ssm[] = "the keys ssm.*",
                  taps[] = "shortconv.l_cache",
                  buckets[] = "attention.relative_buckets_count and head_count",
                  rwkv[] =
                      "embedding_length, feed_forward_length and the attention.*_lora_rank",
                  rwkv6[] = "embedding_length, wkv.head_size, attention.head_count_kv, "
                            "time_mix_extra_dim and time_decay_extra_dim";

/* clang-format off */
#define SHARED_SIZE(NAME, VALUE) \
    size_t more_##NAME(const LayerSizes *s) { const LayerExtras *e = s->extras; (void)e; return VALUE; }
#define SIZE(NAME, VALUE) static SHARED_SIZE(NAME, VALUE)
SIZE(dim, s->dim)
SIZE(q, s->q)
SIZE(k, s->k)
SIZE(v, s->v)
SIZE(mixed, s->mixed)
SIZE(heads, s->heads)
SIZE(hidden, s->hidden)
SIZE(attn_gate, e->attn_gate)
SIZE(buckets, e->buckets)
SIZE(latent, e->latent)
SIZE(q_latent, e->q_latent)
SIZE(kv_latent, e->latent + s->rotary)
SIZE(kv_heads, s->heads * (e->plain + e->latent_value))
SIZE(plain, e->plain)
SIZE(latent_value, e->latent_value)
SIZE(index_q, e->index_heads * e->index_width)
SIZE(index_heads, e->index_heads)
SIZE(index_width, e->index_width)
SIZE(experts, e->experts)
SIZE(expert_hidden, e->expert_hidden)
SIZE(expert_in, e->expert_latent ? e->expert_latent : s->dim)
SIZE(expert_latent, e->expert_latent)
SIZE(adjugates, e->per_group ? e->experts / e->per_group : 0)
SIZE(adjugate_hidden, e->adjugate_hidden)
SIZE(shared_hidden, e->shared_hidden)
SIZE(input, e->input)
SIZE(streams, e->streams)
SIZE(stream_pairs, e->streams * e->streams)
SIZE(laurel, e->laurel)
SHARED_SIZE(ssm_conv, e->ssm_inner + (e->ssm_heads ? 2 * e->ssm_groups * e->ssm_state : 0))
SIZE(ssm_in, e->ssm_inner + more_ssm_conv(s) + e->ssm_heads)
SIZE(ssm_x, e->ssm_rank + 2 * e->ssm_state)
SIZE(ssm_a, e->ssm_heads ? e->ssm_heads : e->ssm_inner)
SIZE(ssm_rates, e->ssm_heads ? 1 : e->ssm_state)
SIZE(ssm_group, e->ssm_groups ? e->ssm_inner / e->ssm_groups : 0)
SIZE(ssm_inner, e->ssm_inner)
SIZE(ssm_state, e->ssm_state)
SIZE(ssm_rank, e->ssm_rank)
SIZE(ssm_groups, e->ssm_groups)
SIZE(ssm_taps, e->ssm_taps)
SIZE(short_conv_in, 3 * s->dim)
SIZE(short_conv, e->short_conv)
SHARED_SIZE(delta_k, e->delta_keys * e->delta_dim)
SHARED_SIZE(delta_v, e->delta_heads * e->delta_dim)
SIZE(delta_decays, e->delta_heads * (e->delta_per_number ? e->delta_dim : 1))
SIZE(delta_heads, e->delta_heads)
SIZE(delta_fused_ba, 2 * e->delta_heads)
SIZE(delta_in, e->delta_per_number ? e->delta_dim : s->dim)
SIZE(delta_dim, e->delta_dim)
SIZE(delta_taps, e->delta_taps)
SIZE(rwkv_mixes, e->rwkv_shift || !e->rwkv_g ? RWKV_G : RWKV_MIXES)
SIZE(rwkv_kv, e->rwkv_kv_heads * e->rwkv_dim)
SIZE(rwkv_heads, e->rwkv_heads)
SIZE(rwkv_dim, e->rwkv_dim)
SIZE(rwkv_shift, e->rwkv_shift)
SIZE(rwkv_shifts, RWKV6_MIXES * e->rwkv_shift)
SIZE(rwkv6_mixes, RWKV6_MIXES)
SIZE(rwkv_w, e->rwkv_w)
SIZE(rwkv_a, e->rwkv_a)
SIZE(rwkv_v, e->rwkv_v)
SIZE(rwkv_g, e->rwkv_g)
SIZE(rwkv_hidden, e->rwkv_hidden)
SIZE(joined, 2 * s->dim)

/* A block has it (YES) or may have it (MAYBE) under a condition. */
#define NEED(NAME, HOW, CONDITION) \
    static Need needs_##NAME(const Recipe *r, const LayerSizes *s) { \
        const LayerExtras *e = s->extras; const Quirks *q = e->quirks; (void)r, (void)q; \
        return CONDITION ? NEED_##HOW : NEED_NO; \
    }
NEED(attn_gate, YES, e->attn_gate && !e->latent)
NEED(sub_norm, YES, q->sub_norms && s->heads && !e->latent)
NEED(q_latent, YES, e->latent && e->q_latent)
NEED(latent, YES, e->latent)
NEED(absorbed, YES, e->latent && e->absorbed)
NEED(latent_plain, YES, e->latent && !e->absorbed)
NEED(index, YES, e->latent && e->index_heads)
NEED(cross, YES, e->cross)
NEED(ffn_sub_norm, YES, q->sub_norms && s->hidden)
NEED(attn_norm_2, MAYBE, q->second_norm)
NEED(experts, YES, e->experts)
NEED(experts_gate, YES, e->experts && r->gated)
NEED(choice_bias, MAYBE, e->experts && q->choice_bias)
NEED(shared_router, YES, e->shared_hidden && q->shared_gate)
NEED(shared_gate, YES, e->shared_hidden && r->gated)
NEED(shared, YES, e->shared_hidden)
NEED(expert_latent, YES, e->experts && e->expert_latent)
NEED(dense_and_experts, YES, e->dense_and_experts)
NEED(adjugates, YES, e->experts && q->adjugates)
NEED(experts_ahead, YES, e->experts && q->experts_ahead)
NEED(input, YES, e->input)
NEED(output_scale, YES, q->output_scale)
NEED(streams, YES, e->streams)
NEED(laurel, YES, e->laurel)
NEED(ssm, YES, e->ssm_inner)
NEED(ssm_maybe, MAYBE, e->ssm_inner)
NEED(mamba1, YES, e->ssm_inner && !e->ssm_heads)
NEED(ssm_norms, YES, e->ssm_inner && q->ssm_norms)
NEED(short_conv, YES, e->short_conv)
NEED(delta, YES, e->delta_heads)
NEED(delta_per_number, YES, e->delta_heads && e->delta_per_number)
NEED(delta_separate, YES, e->delta_heads && !e->delta_fused_ba)
NEED(delta_fused_ba, YES, e->delta_heads && e->delta_fused_ba)
NEED(rwkv, YES, e->rwkv_heads)
NEED(rwkv_mu, YES, e->rwkv_heads && e->rwkv_fused)
NEED(rwkv_norm, YES, e->rwkv_heads && e->rwkv_norm)
NEED(rwkv_channel, YES, e->rwkv_heads && e->rwkv_hidden)
NEED(rwkv_channel_gate, YES, e->rwkv_shift && e->rwkv_hidden)
NEED(rwkv7, YES, e->rwkv_heads && !e->rwkv_shift)
NEED(rwkv7_gate, YES, e->rwkv_heads && e->rwkv_g)
NEED(rwkv6, YES, e->rwkv_shift)
NEED(rwkv6_mus, YES, e->rwkv_shift && !e->rwkv_fused)
NEED(rwkv6_bonus, YES, e->rwkv_shift && e->rwkv_hidden)
NEED(drafts, YES, e->drafts)
NEED(join, YES, e->drafts && !e->joined)
/* clang-format on */

static Need needs_sinks(const Recipe *r, const LayerSizes *s) {
    const Quirks *q = s->extras->quirks;
    (void)r;
    if (!s->heads || s->extras->latent) return NEED_NO;
    return q->sinks_optional ? NEED_MAYBE : q->sinks ? NEED_YES : NEED_NO;
}

/* Blocks without their own use the first block's. */
static Need needs_relative(const Recipe *r, const LayerSizes *s) {
    (void)r;
    if (!s->heads || s->extras->latent || !s->extras->buckets) return NEED_NO;
    return s->extras->first ? NEED_YES : NEED_MAYBE;
}

static Need needs_ssm_norm(const Recipe *r, const LayerSizes *s) {
    (void)r;
    if (!s->extras->ssm_inner || !s->extras->ssm_heads) return NEED_NO;
    return s->extras->quirks->ssm_norm_optional ? NEED_MAYBE : NEED_YES;
}

/* Files have a first-layer map for mixing in first-layer values, too; it is not used. */
static Need needs_rwkv_value(const Recipe *r, const LayerSizes *s) {
    (void)r;
    return !s->extras->rwkv_v ? NEED_NO : s->extras->rwkv_first ? NEED_MAYBE : NEED_YES;
}

/* Offsets in a block, or in its extras. */
#define AT(member)   .place = offsetof(Block, member), .in_extras = false
#define MORE(member) .place = offsetof(BlockExtras, member), .in_extras = true

/* clang-format off */
/* Which blocks have it: needs_NEED.  FROM: the keys of its shape.  STACK: COUNT maps. */
#define ROLE(ID, NAME, KIND, PLACE, ROWS, COLS, FROM, NEED) \
    [ROLE_##ID - CORE_ROLES] = \
        {NAME, ROLE_##KIND, PLACE, more_##ROWS, more_##COLS, FROM, needs_##NEED, NULL}
#define STACK(ID, NAME, KIND, PLACE, ROWS, COLS, FROM, NEED, COUNT) \
    [ROLE_##ID - CORE_ROLES] = \
        {NAME, ROLE_##KIND, PLACE, more_##ROWS, more_##COLS, FROM, needs_##NEED, COUNT}
#define more_one size_one

const Role more_roles[ROLES - CORE_ROLES] = {
    ROLE(ATTN_GATE, "attn_gate", LINEAR, AT(attention.gate), attn_gate, dim, heads, attn_gate),
    ROLE(ATTN_SUB_NORM, "attn_sub_norm", NORM, AT(attention.sub_norm),
         one, mixed, heads, sub_norm),
    ROLE(LATENT_Q_A, "attn_q_a", LINEAR, MORE(mla.q_a), q_latent, dim, latents, q_latent),
    ROLE(LATENT_Q_NORM, "attn_q_a_norm", NORM, MORE(mla.q_a_norm),
         one, q_latent, latents, q_latent),
    ROLE(LATENT_Q_B, "attn_q_b", LINEAR, MORE(mla.q_b), q, q_latent, latents, q_latent),
    ROLE(LATENT_KV_A, "attn_kv_a_mqa", LINEAR, MORE(mla.kv_a), kv_latent, dim, latents, latent),
    ROLE(LATENT_KV_NORM, "attn_kv_a_norm", NORM, MORE(mla.kv_a_norm),
         one, latent, latents, latent),
    STACK(LATENT_K_B, "attn_k_b", LINEAR, MORE(mla.k_b),
         latent, plain, latents, absorbed, more_heads),
    STACK(LATENT_V_B, "attn_v_b", LINEAR, MORE(mla.v_b),
         latent_value, latent, latents, absorbed, more_heads),
    ROLE(LATENT_KV_B, "attn_kv_b", LINEAR, MORE(mla.kv_b),
         kv_heads, latent, latents, latent_plain),
    ROLE(INDEX_Q, "indexer.attn_q_b", LINEAR, MORE(mla.index.q),
         index_q, q_latent, index, index),
    ROLE(INDEX_K, "indexer.attn_k", LINEAR, MORE(mla.index.k), index_width, dim, index, index),
    ROLE(INDEX_GAIN, "indexer.k_norm", VECTOR, MORE(mla.index.k_norm.gain),
         one, index_width, index, index),
    ROLE(INDEX_BIAS, "indexer.k_norm", OFFSET, MORE(mla.index.k_norm.bias),
         one, index_width, index, index),
    ROLE(INDEX_WEIGH, "indexer.proj", LINEAR, MORE(mla.index.weigh),
         index_heads, dim, index, index),
    ROLE(ATTN_SINKS, "attn_sinks", VECTOR, AT(attention.shape.sinks), one, heads, heads, sinks),
    ROLE(ATTN_RELATIVE, "attn_rel_b", VECTOR, MORE(relative.table),
         buckets, heads, buckets, relative),
    ROLE(CROSS_NORM, "cross_attn_norm", NORM, MORE(cross.norm), one, dim, dim, cross),
    ROLE(CROSS_Q, "cross_attn_q", LINEAR, MORE(cross.attention.q), q, dim, heads, cross),
    ROLE(CROSS_K, "cross_attn_k", LINEAR, MORE(cross.attention.k), k, dim, heads, cross),
    ROLE(CROSS_V, "cross_attn_v", LINEAR, MORE(cross.attention.v), v, dim, heads, cross),
    ROLE(CROSS_OUT, "cross_attn_o", LINEAR, MORE(cross.attention.o), dim, mixed, heads, cross),
    ROLE(ATTN_NORM_2, "attn_norm_2", NORM, MORE(attn_norm_2), one, dim, dim, attn_norm_2),
    ROLE(FFN_SUB_NORM, "ffn_sub_norm", NORM, AT(ffn.sub_norm),
         one, hidden, network, ffn_sub_norm),
    ROLE(ROUTER, "ffn_gate_inp", LINEAR, MORE(experts.router.map),
         experts, dim, experts, experts),
    ROLE(ROUTER_BIAS, "exp_probs_b", OFFSET, MORE(experts.router.select_bias),
         one, experts, experts, choice_bias),
    STACK(EXPERTS_GATE, "ffn_gate_exps", LINEAR, MORE(experts.net.gate),
         expert_hidden, expert_in, experts, experts_gate, more_experts),
    STACK(EXPERTS_UP, "ffn_up_exps", LINEAR, MORE(experts.net.up),
         expert_hidden, expert_in, experts, experts, more_experts),
    STACK(EXPERTS_DOWN, "ffn_down_exps", LINEAR, MORE(experts.net.down),
         expert_in, expert_hidden, experts, experts, more_experts),
    STACK(ADJUGATE_GATE, "ffn_gate_chexps", LINEAR, MORE(experts.adjugates.gate),
         adjugate_hidden, dim, adjugate, adjugates, more_adjugates),
    STACK(ADJUGATE_UP, "ffn_up_chexps", LINEAR, MORE(experts.adjugates.up),
         adjugate_hidden, dim, adjugate, adjugates, more_adjugates),
    STACK(ADJUGATE_DOWN, "ffn_down_chexps", LINEAR, MORE(experts.adjugates.down),
         dim, adjugate_hidden, adjugate, adjugates, more_adjugates),
    ROLE(SHARED_ROUTER, "ffn_gate_inp_shexp", LINEAR, MORE(experts.shared_gate),
         one, dim, dim, shared_router),
    ROLE(SHARED_GATE, "ffn_gate_shexp", LINEAR, MORE(experts.shared.gate),
         shared_hidden, dim, shared, shared_gate),
    ROLE(SHARED_UP, "ffn_up_shexp", LINEAR, MORE(experts.shared.up),
         shared_hidden, dim, shared, shared),
    ROLE(SHARED_DOWN, "ffn_down_shexp", LINEAR, MORE(experts.shared.down),
         dim, shared_hidden, shared, shared),
    ROLE(LATENT_DOWN, "ffn_latent_down", LINEAR, MORE(experts.latent_down),
         expert_latent, dim, latent, expert_latent),
    ROLE(LATENT_UP, "ffn_latent_up", LINEAR, MORE(experts.latent_up),
         dim, expert_latent, latent, expert_latent),
    ROLE(ROUTER_GAIN, "ffn_gate_inp.scale", PLAIN, MORE(experts.router.norm.gain),
         one, dim, dim, dense_and_experts),
    ROLE(EXPERTS_SCALE, "ffn_down_exps.scale", PLAIN, MORE(experts.router.expert_scale),
         one, experts, experts, dense_and_experts),
    ROLE(EXPERTS_NORM, "pre_ffw_norm_2", NORM, MORE(experts.norm),
         one, dim, dim, dense_and_experts),
    ROLE(NETWORK_POST_NORM, "post_ffw_norm_1", NORM, MORE(network_post_norm),
         one, dim, dim, dense_and_experts),
    ROLE(EXPERTS_POST_NORM, "post_ffw_norm_2", NORM, MORE(experts_post_norm),
         one, dim, dim, dense_and_experts),
    ROLE(AHEAD_NORM, "ffn_norm_exps", NORM, MORE(ahead_norm), one, dim, dim, experts_ahead),
    ROLE(LAYER_GATE, "inp_gate", LINEAR, MORE(layer_input.gate), input, dim, input, input),
    ROLE(LAYER_OUT, "proj", LINEAR, MORE(layer_input.out), dim, input, input, input),
    ROLE(LAYER_NORM, "post_norm", NORM, MORE(layer_input.norm), one, dim, dim, input),
    ROLE(OUTPUT_SCALE, "layer_output_scale", VECTOR, MORE(output_scale),
         one, one, "the family", output_scale),
    ROLE(ALTUP_ROUTER, "altup_router", LINEAR, MORE(altup.router),
         streams, dim, parts, streams),
    ROLE(ALTUP_NORM, "altup_router_norm", NORM, MORE(altup.router_norm),
         one, dim, dim, streams),
    ROLE(ALTUP_PREDICT, "altup_predict_coef", LINEAR, MORE(altup.predict),
         stream_pairs, streams, parts, streams),
    ROLE(ALTUP_CORRECT, "altup_correct_coef", LINEAR, MORE(altup.correct),
         streams, streams, parts, streams),
    ROLE(ALTUP_SCALE, "altup_correct_scale", VECTOR, MORE(altup.scale), one, dim, dim, streams),
    ROLE(LAUREL_LEFT, "laurel_l", LINEAR, MORE(laurel.left), laurel, dim, laurel, laurel),
    ROLE(LAUREL_RIGHT, "laurel_r", LINEAR, MORE(laurel.right), dim, laurel, laurel, laurel),
    ROLE(LAUREL_NORM, "laurel_post_norm", NORM, MORE(laurel.norm), one, dim, dim, laurel),
    ROLE(SSM_IN, "ssm_in", LINEAR, MORE(mamba.in), ssm_in, dim, ssm, ssm),
    ROLE(SSM_CONV, "ssm_conv1d", VECTOR, MORE(mamba.conv.w), ssm_conv, ssm_taps, ssm, ssm),
    ROLE(SSM_CONV_BIAS, "ssm_conv1d", OFFSET, MORE(mamba.conv.bias),
         one, ssm_conv, ssm, ssm_maybe),
    ROLE(SSM_X, "ssm_x", LINEAR, MORE(mamba.x), ssm_x, ssm_inner, ssm, mamba1),
    ROLE(SSM_DT, "ssm_dt", LINEAR, MORE(mamba.dt), ssm_inner, ssm_rank, ssm, mamba1),
    ROLE(SSM_DT_BIAS, "ssm_dt", OFFSET, MORE(mamba.dt_bias), one, ssm_a, ssm, ssm),
    ROLE(SSM_A, "ssm_a", PLAIN, MORE(mamba.a), ssm_a, ssm_rates, ssm, ssm),
    ROLE(SSM_D, "ssm_d", PLAIN, MORE(mamba.d), ssm_a, one, ssm, ssm),
    ROLE(SSM_DT_NORM, "ssm_dt_norm", NORM, MORE(mamba.dt_norm), one, ssm_rank, ssm, ssm_norms),
    ROLE(SSM_B_NORM, "ssm_b_norm", NORM, MORE(mamba.b_norm), one, ssm_state, ssm, ssm_norms),
    ROLE(SSM_C_NORM, "ssm_c_norm", NORM, MORE(mamba.c_norm), one, ssm_state, ssm, ssm_norms),
    ROLE(SSM_NORM, "ssm_norm", NORM, MORE(mamba.norm), ssm_groups, ssm_group, ssm, ssm_norm),
    ROLE(SSM_OUT, "ssm_out", LINEAR, MORE(mamba.out), dim, ssm_inner, ssm, ssm),
    ROLE(SHORT_CONV_IN, "shortconv.in_proj", LINEAR, MORE(short_conv.in),
         short_conv_in, dim, dim, short_conv),
    ROLE(SHORT_CONV, "shortconv.conv", VECTOR, MORE(short_conv.conv.w),
         dim, short_conv, taps, short_conv),
    ROLE(SHORT_CONV_OUT, "shortconv.out_proj", LINEAR, MORE(short_conv.out),
         dim, dim, dim, short_conv),
    ROLE(DELTA_Q, "attn_q", LINEAR, MORE(delta.q), delta_k, dim, ssm, delta),
    ROLE(DELTA_K, "attn_k", LINEAR, MORE(delta.k), delta_k, dim, ssm, delta),
    ROLE(DELTA_V, "attn_v", LINEAR, MORE(delta.v), delta_v, dim, ssm, delta),
    ROLE(DELTA_Q_CONV, "ssm_conv1d_q", VECTOR, MORE(delta.q_conv.w),
         delta_k, delta_taps, ssm, delta),
    ROLE(DELTA_K_CONV, "ssm_conv1d_k", VECTOR, MORE(delta.k_conv.w),
         delta_k, delta_taps, ssm, delta),
    ROLE(DELTA_V_CONV, "ssm_conv1d_v", VECTOR, MORE(delta.v_conv.w),
         delta_v, delta_taps, ssm, delta),
    ROLE(DELTA_DECAY_A, "ssm_f_a", LINEAR, MORE(delta.decay_a),
         delta_dim, dim, ssm, delta_per_number),
    ROLE(DELTA_DECAY, "ssm_alpha", LINEAR, MORE(delta.decay),
         delta_decays, delta_in, ssm, delta_separate),
    ROLE(DELTA_DT_BIAS, "ssm_dt", OFFSET, MORE(delta.dt_bias), one, delta_decays, ssm, delta),
    ROLE(DELTA_A, "ssm_a", PLAIN, MORE(delta.a), one, delta_heads, ssm, delta),
    ROLE(DELTA_BETA, "ssm_beta", LINEAR, MORE(delta.beta),
         delta_heads, dim, ssm, delta_separate),
    ROLE(DELTA_BOTH, "ssm_ba", LINEAR, MORE(delta.both),
         delta_fused_ba, dim, ssm, delta_fused_ba),
    ROLE(DELTA_GATE_A, "ssm_g_a", LINEAR, MORE(delta.gate_a),
         delta_dim, dim, ssm, delta_per_number),
    ROLE(DELTA_GATE, "attn_gate", LINEAR, MORE(delta.gate), delta_v, delta_in, ssm, delta),
    ROLE(DELTA_NORM, "ssm_norm", NORM, MORE(delta.norm), one, delta_dim, ssm, delta),
    ROLE(DELTA_OUT, "ssm_out", LINEAR, MORE(delta.out), dim, delta_v, ssm, delta),
    ROLE(RWKV_R, "time_mix_receptance", LINEAR, MORE(rwkv.r), dim, dim, rwkv, rwkv),
    ROLE(RWKV_K, "time_mix_key", LINEAR, MORE(rwkv.k), rwkv_kv, dim, rwkv, rwkv),
    ROLE(RWKV_V, "time_mix_value", LINEAR, MORE(rwkv.v), rwkv_kv, dim, rwkv, rwkv),
    ROLE(RWKV_OUT, "time_mix_output", LINEAR, MORE(rwkv.out), dim, dim, rwkv, rwkv),
    ROLE(RWKV_MU, "time_mix_lerp_fused", VECTOR, MORE(rwkv.mu),
         rwkv_mixes, dim, rwkv, rwkv_mu),
    ROLE(RWKV_W0, "time_mix_w0", VECTOR, MORE(rwkv.w.bias), one, dim, rwkv, rwkv7),
    ROLE(RWKV_W1, "time_mix_w1", LINEAR, MORE(rwkv.w.down), rwkv_w, dim, rwkv, rwkv7),
    ROLE(RWKV_W2, "time_mix_w2", LINEAR, MORE(rwkv.w.up), dim, rwkv_w, rwkv, rwkv7),
    ROLE(RWKV_A0, "time_mix_a0", VECTOR, MORE(rwkv.a.bias), one, dim, rwkv, rwkv7),
    ROLE(RWKV_A1, "time_mix_a1", LINEAR, MORE(rwkv.a.down), rwkv_a, dim, rwkv, rwkv7),
    ROLE(RWKV_A2, "time_mix_a2", LINEAR, MORE(rwkv.a.up), dim, rwkv_a, rwkv, rwkv7),
    ROLE(RWKV_VALUE0, "time_mix_v0", VECTOR, MORE(rwkv.value.bias), one, dim, rwkv, rwkv_value),
    ROLE(RWKV_VALUE1, "time_mix_v1", LINEAR, MORE(rwkv.value.down),
         rwkv_v, dim, rwkv, rwkv_value),
    ROLE(RWKV_VALUE2, "time_mix_v2", LINEAR, MORE(rwkv.value.up),
         dim, rwkv_v, rwkv, rwkv_value),
    ROLE(RWKV_G1, "time_mix_g1", LINEAR, MORE(rwkv.g.down), rwkv_g, dim, rwkv, rwkv7_gate),
    ROLE(RWKV_G2, "time_mix_g2", LINEAR, MORE(rwkv.g.up), dim, rwkv_g, rwkv, rwkv7_gate),
    ROLE(RWKV_KK, "time_mix_k_k", VECTOR, MORE(rwkv.kk), one, dim, rwkv, rwkv7),
    ROLE(RWKV_KA, "time_mix_k_a", VECTOR, MORE(rwkv.ka), one, dim, rwkv, rwkv7),
    ROLE(RWKV_RK, "time_mix_r_k", VECTOR, MORE(rwkv.rk), one, dim, rwkv, rwkv7),
    ROLE(RWKV_GAIN, "time_mix_ln", VECTOR, MORE(rwkv.norm.gain), one, dim, rwkv, rwkv_norm),
    ROLE(RWKV_BIAS, "time_mix_ln", OFFSET, MORE(rwkv.norm.bias), one, dim, rwkv, rwkv_norm),
    ROLE(RWKV_CHANNEL_NORM, "attn_norm_2", NORM, AT(ffn_norm), one, dim, rwkv, rwkv_channel),
    ROLE(RWKV_CHANNEL_MU, "channel_mix_lerp_k", VECTOR, MORE(rwkv.channel_mu),
         one, dim, rwkv, rwkv_channel),
    ROLE(RWKV_CHANNEL_UP, "channel_mix_key", LINEAR, MORE(rwkv.channel_up),
         rwkv_hidden, dim, rwkv, rwkv_channel),
    ROLE(RWKV_CHANNEL_DOWN, "channel_mix_value", LINEAR, MORE(rwkv.channel_down),
         dim, rwkv_hidden, rwkv, rwkv_channel),
    ROLE(RWKV_CHANNEL_GATE_MU, "channel_mix_lerp_r", VECTOR, MORE(rwkv.channel_gate_mu),
         one, dim, rwkv6, rwkv_channel_gate),
    ROLE(RWKV_CHANNEL_GATE, "channel_mix_receptance", LINEAR, MORE(rwkv.channel_gate),
         dim, dim, rwkv6, rwkv_channel_gate),
    ROLE(RWKV6_MU, "time_mix_lerp_x", VECTOR, MORE(rwkv.six.mu), one, dim, rwkv6, rwkv6),
    ROLE(RWKV6_MU_W, "time_mix_lerp_w", VECTOR, MORE(rwkv.six.mus[RWKV6_W]),
         one, dim, rwkv6, rwkv6_mus),
    ROLE(RWKV6_MU_K, "time_mix_lerp_k", VECTOR, MORE(rwkv.six.mus[RWKV6_K]),
         one, dim, rwkv6, rwkv6_mus),
    ROLE(RWKV6_MU_V, "time_mix_lerp_v", VECTOR, MORE(rwkv.six.mus[RWKV6_V]),
         one, dim, rwkv6, rwkv6_mus),
    ROLE(RWKV6_MU_R, "time_mix_lerp_r", VECTOR, MORE(rwkv.six.mus[RWKV6_R]),
         one, dim, rwkv6, rwkv6_mus),
    ROLE(RWKV6_MU_G, "time_mix_lerp_g", VECTOR, MORE(rwkv.six.mus[RWKV6_G]),
         one, dim, rwkv6, rwkv6_mus),
    ROLE(RWKV6_DOWN, "time_mix_w1", LINEAR, MORE(rwkv.six.down),
         rwkv_shifts, dim, rwkv6, rwkv6),
    STACK(RWKV6_UP, "time_mix_w2", LINEAR, MORE(rwkv.six.up),
          dim, rwkv_shift, rwkv6, rwkv6, more_rwkv6_mixes),
    ROLE(RWKV6_GATE, "time_mix_gate", LINEAR, MORE(rwkv.six.gate), dim, dim, rwkv6, rwkv6),
    ROLE(RWKV6_BONUS, "time_mix_first", VECTOR, MORE(rwkv.six.bonus),
         rwkv_heads, rwkv_dim, rwkv6, rwkv6_bonus),
    ROLE(RWKV6_DECAY, "time_mix_decay", VECTOR, MORE(rwkv.w.bias), one, dim, rwkv6, rwkv6),
    ROLE(RWKV6_DECAY_DOWN, "time_mix_decay_w1", LINEAR, MORE(rwkv.w.down),
         rwkv_w, dim, rwkv6, rwkv6),
    ROLE(RWKV6_DECAY_UP, "time_mix_decay_w2", LINEAR, MORE(rwkv.w.up),
         dim, rwkv_w, rwkv6, rwkv6),
    ROLE(JOIN_TOKEN_NORM, "nextn.enorm", NORM, MORE(join.token_norm), one, dim, dim, drafts),
    ROLE(JOIN_HIDDEN_NORM, "nextn.hnorm", NORM, MORE(join.hidden_norm), one, dim, dim, drafts),
    ROLE(JOIN, "nextn.eh_proj", LINEAR, MORE(join.map), dim, joined, dim, join),
};
/* clang-format on */
