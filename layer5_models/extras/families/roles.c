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
                  shared[] = "expert_shared_feed_forward_length and embedding_length",
                  latent[] = "moe_latent_size and embedding_length",
                  input[] = "embedding_length_per_layer_input and embedding_length",
                  parts[] = "altup.num_inputs and embedding_length",
                  laurel[] = "the family's 64 and embedding_length", ssm[] = "the keys ssm.*",
                  taps[] = "shortconv.l_cache",
                  buckets[] = "attention.relative_buckets_count and head_count",
                  rwkv[] =
                      "embedding_length, feed_forward_length and the attention.*_lora_rank";

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
SIZE(rwkv_mixes, RWKV_MIXES)
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
    return !s->extras->rwkv_heads ? NEED_NO : s->extras->rwkv_first ? NEED_MAYBE : NEED_YES;
}

/* Offsets in a block, or in its extras. */
#define AT(member)   .place = offsetof(Block, member), .in_extras = false
#define MORE(member) .place = offsetof(BlockExtras, member), .in_extras = true

/* clang-format off */
const Role more_roles[ROLES - CORE_ROLES] = {
    [ROLE_ATTN_GATE - CORE_ROLES] = {"attn_gate", ROLE_LINEAR, AT(attention.gate), more_attn_gate, more_dim, heads, needs_attn_gate},
    [ROLE_ATTN_SUB_NORM - CORE_ROLES] = {"attn_sub_norm", ROLE_NORM, AT(attention.sub_norm), size_one, more_mixed, heads, needs_sub_norm},
    [ROLE_LATENT_Q_A - CORE_ROLES] = {"attn_q_a", ROLE_LINEAR, MORE(mla.q_a), more_q_latent, more_dim, latents, needs_q_latent},
    [ROLE_LATENT_Q_NORM - CORE_ROLES] = {"attn_q_a_norm", ROLE_NORM, MORE(mla.q_a_norm), size_one, more_q_latent, latents, needs_q_latent},
    [ROLE_LATENT_Q_B - CORE_ROLES] = {"attn_q_b", ROLE_LINEAR, MORE(mla.q_b), more_q, more_q_latent, latents, needs_q_latent},
    [ROLE_LATENT_KV_A - CORE_ROLES] = {"attn_kv_a_mqa", ROLE_LINEAR, MORE(mla.kv_a), more_kv_latent, more_dim, latents, needs_latent},
    [ROLE_LATENT_KV_NORM - CORE_ROLES] = {"attn_kv_a_norm", ROLE_NORM, MORE(mla.kv_a_norm), size_one, more_latent, latents, needs_latent},
    [ROLE_LATENT_K_B - CORE_ROLES] = {"attn_k_b", ROLE_LINEAR, MORE(mla.k_b), more_latent, more_plain, latents, needs_absorbed, more_heads},
    [ROLE_LATENT_V_B - CORE_ROLES] = {"attn_v_b", ROLE_LINEAR, MORE(mla.v_b), more_latent_value, more_latent, latents, needs_absorbed, more_heads},
    [ROLE_LATENT_KV_B - CORE_ROLES] = {"attn_kv_b", ROLE_LINEAR, MORE(mla.kv_b), more_kv_heads, more_latent, latents, needs_latent_plain},
    [ROLE_INDEX_Q - CORE_ROLES] = {"indexer.attn_q_b", ROLE_LINEAR, MORE(mla.index.q), more_index_q, more_q_latent, index, needs_index},
    [ROLE_INDEX_K - CORE_ROLES] = {"indexer.attn_k", ROLE_LINEAR, MORE(mla.index.k), more_index_width, more_dim, index, needs_index},
    [ROLE_INDEX_GAIN - CORE_ROLES] = {"indexer.k_norm", ROLE_VECTOR, MORE(mla.index.k_norm.gain), size_one, more_index_width, index, needs_index},
    [ROLE_INDEX_BIAS - CORE_ROLES] = {"indexer.k_norm", ROLE_OFFSET, MORE(mla.index.k_norm.bias), size_one, more_index_width, index, needs_index},
    [ROLE_INDEX_WEIGH - CORE_ROLES] = {"indexer.proj", ROLE_LINEAR, MORE(mla.index.weigh), more_index_heads, more_dim, index, needs_index},
    [ROLE_ATTN_SINKS - CORE_ROLES] = {"attn_sinks", ROLE_VECTOR, AT(attention.shape.sinks), size_one, more_heads, heads, needs_sinks},
    [ROLE_ATTN_RELATIVE - CORE_ROLES] = {"attn_rel_b", ROLE_VECTOR, MORE(relative.table), more_buckets, more_heads, buckets, needs_relative},
    [ROLE_CROSS_NORM - CORE_ROLES] = {"cross_attn_norm", ROLE_NORM, MORE(cross.norm), size_one, more_dim, dim, needs_cross},
    [ROLE_CROSS_Q - CORE_ROLES] = {"cross_attn_q", ROLE_LINEAR, MORE(cross.attention.q), more_q, more_dim, heads, needs_cross},
    [ROLE_CROSS_K - CORE_ROLES] = {"cross_attn_k", ROLE_LINEAR, MORE(cross.attention.k), more_k, more_dim, heads, needs_cross},
    [ROLE_CROSS_V - CORE_ROLES] = {"cross_attn_v", ROLE_LINEAR, MORE(cross.attention.v), more_v, more_dim, heads, needs_cross},
    [ROLE_CROSS_OUT - CORE_ROLES] = {"cross_attn_o", ROLE_LINEAR, MORE(cross.attention.o), more_dim, more_mixed, heads, needs_cross},
    [ROLE_ATTN_NORM_2 - CORE_ROLES] = {"attn_norm_2", ROLE_NORM, MORE(attn_norm_2), size_one, more_dim, dim, needs_attn_norm_2},
    [ROLE_FFN_SUB_NORM - CORE_ROLES] = {"ffn_sub_norm", ROLE_NORM, AT(ffn.sub_norm), size_one, more_hidden, network, needs_ffn_sub_norm},
    [ROLE_ROUTER - CORE_ROLES] = {"ffn_gate_inp", ROLE_LINEAR, MORE(experts.router.map), more_experts, more_dim, experts, needs_experts},
    [ROLE_ROUTER_BIAS - CORE_ROLES] = {"exp_probs_b", ROLE_OFFSET, MORE(experts.router.select_bias), size_one, more_experts, experts, needs_choice_bias},
    [ROLE_EXPERTS_GATE - CORE_ROLES] = {"ffn_gate_exps", ROLE_LINEAR, MORE(experts.net.gate), more_expert_hidden, more_expert_in, experts, needs_experts_gate, more_experts},
    [ROLE_EXPERTS_UP - CORE_ROLES] = {"ffn_up_exps", ROLE_LINEAR, MORE(experts.net.up), more_expert_hidden, more_expert_in, experts, needs_experts, more_experts},
    [ROLE_EXPERTS_DOWN - CORE_ROLES] = {"ffn_down_exps", ROLE_LINEAR, MORE(experts.net.down), more_expert_in, more_expert_hidden, experts, needs_experts, more_experts},
    [ROLE_SHARED_ROUTER - CORE_ROLES] = {"ffn_gate_inp_shexp", ROLE_LINEAR, MORE(experts.shared_gate), size_one, more_dim, dim, needs_shared_router},
    [ROLE_SHARED_GATE - CORE_ROLES] = {"ffn_gate_shexp", ROLE_LINEAR, MORE(experts.shared.gate), more_shared_hidden, more_dim, shared, needs_shared_gate},
    [ROLE_SHARED_UP - CORE_ROLES] = {"ffn_up_shexp", ROLE_LINEAR, MORE(experts.shared.up), more_shared_hidden, more_dim, shared, needs_shared},
    [ROLE_SHARED_DOWN - CORE_ROLES] = {"ffn_down_shexp", ROLE_LINEAR, MORE(experts.shared.down), more_dim, more_shared_hidden, shared, needs_shared},
    [ROLE_LATENT_DOWN - CORE_ROLES] = {"ffn_latent_down", ROLE_LINEAR, MORE(experts.latent_down), more_expert_latent, more_dim, latent, needs_expert_latent},
    [ROLE_LATENT_UP - CORE_ROLES] = {"ffn_latent_up", ROLE_LINEAR, MORE(experts.latent_up), more_dim, more_expert_latent, latent, needs_expert_latent},
    [ROLE_ROUTER_GAIN - CORE_ROLES] = {"ffn_gate_inp.scale", ROLE_PLAIN, MORE(experts.router.norm.gain), size_one, more_dim, dim, needs_dense_and_experts},
    [ROLE_EXPERTS_SCALE - CORE_ROLES] = {"ffn_down_exps.scale", ROLE_PLAIN, MORE(experts.router.expert_scale), size_one, more_experts, experts, needs_dense_and_experts},
    [ROLE_EXPERTS_NORM - CORE_ROLES] = {"pre_ffw_norm_2", ROLE_NORM, MORE(experts.norm), size_one, more_dim, dim, needs_dense_and_experts},
    [ROLE_NETWORK_POST_NORM - CORE_ROLES] = {"post_ffw_norm_1", ROLE_NORM, MORE(network_post_norm), size_one, more_dim, dim, needs_dense_and_experts},
    [ROLE_EXPERTS_POST_NORM - CORE_ROLES] = {"post_ffw_norm_2", ROLE_NORM, MORE(experts_post_norm), size_one, more_dim, dim, needs_dense_and_experts},
    [ROLE_LAYER_GATE - CORE_ROLES] = {"inp_gate", ROLE_LINEAR, MORE(layer_input.gate), more_input, more_dim, input, needs_input},
    [ROLE_LAYER_OUT - CORE_ROLES] = {"proj", ROLE_LINEAR, MORE(layer_input.out), more_dim, more_input, input, needs_input},
    [ROLE_LAYER_NORM - CORE_ROLES] = {"post_norm", ROLE_NORM, MORE(layer_input.norm), size_one, more_dim, dim, needs_input},
    [ROLE_OUTPUT_SCALE - CORE_ROLES] = {"layer_output_scale", ROLE_VECTOR, MORE(output_scale), size_one, size_one, "the family", needs_output_scale},
    [ROLE_ALTUP_ROUTER - CORE_ROLES] = {"altup_router", ROLE_LINEAR, MORE(altup.router), more_streams, more_dim, parts, needs_streams},
    [ROLE_ALTUP_NORM - CORE_ROLES] = {"altup_router_norm", ROLE_NORM, MORE(altup.router_norm), size_one, more_dim, dim, needs_streams},
    [ROLE_ALTUP_PREDICT - CORE_ROLES] = {"altup_predict_coef", ROLE_LINEAR, MORE(altup.predict), more_stream_pairs, more_streams, parts, needs_streams},
    [ROLE_ALTUP_CORRECT - CORE_ROLES] = {"altup_correct_coef", ROLE_LINEAR, MORE(altup.correct), more_streams, more_streams, parts, needs_streams},
    [ROLE_ALTUP_SCALE - CORE_ROLES] = {"altup_correct_scale", ROLE_VECTOR, MORE(altup.scale), size_one, more_dim, dim, needs_streams},
    [ROLE_LAUREL_LEFT - CORE_ROLES] = {"laurel_l", ROLE_LINEAR, MORE(laurel.left), more_laurel, more_dim, laurel, needs_laurel},
    [ROLE_LAUREL_RIGHT - CORE_ROLES] = {"laurel_r", ROLE_LINEAR, MORE(laurel.right), more_dim, more_laurel, laurel, needs_laurel},
    [ROLE_LAUREL_NORM - CORE_ROLES] = {"laurel_post_norm", ROLE_NORM, MORE(laurel.norm), size_one, more_dim, dim, needs_laurel},
    [ROLE_SSM_IN - CORE_ROLES] = {"ssm_in", ROLE_LINEAR, MORE(mamba.in), more_ssm_in, more_dim, ssm, needs_ssm},
    [ROLE_SSM_CONV - CORE_ROLES] = {"ssm_conv1d", ROLE_VECTOR, MORE(mamba.conv.w), more_ssm_conv, more_ssm_taps, ssm, needs_ssm},
    [ROLE_SSM_CONV_BIAS - CORE_ROLES] = {"ssm_conv1d", ROLE_OFFSET, MORE(mamba.conv.bias), size_one, more_ssm_conv, ssm, needs_ssm_maybe},
    [ROLE_SSM_X - CORE_ROLES] = {"ssm_x", ROLE_LINEAR, MORE(mamba.x), more_ssm_x, more_ssm_inner, ssm, needs_mamba1},
    [ROLE_SSM_DT - CORE_ROLES] = {"ssm_dt", ROLE_LINEAR, MORE(mamba.dt), more_ssm_inner, more_ssm_rank, ssm, needs_mamba1},
    [ROLE_SSM_DT_BIAS - CORE_ROLES] = {"ssm_dt", ROLE_OFFSET, MORE(mamba.dt_bias), size_one, more_ssm_a, ssm, needs_ssm},
    [ROLE_SSM_A - CORE_ROLES] = {"ssm_a", ROLE_PLAIN, MORE(mamba.a), more_ssm_a, more_ssm_rates, ssm, needs_ssm},
    [ROLE_SSM_D - CORE_ROLES] = {"ssm_d", ROLE_PLAIN, MORE(mamba.d), more_ssm_a, size_one, ssm, needs_ssm},
    [ROLE_SSM_DT_NORM - CORE_ROLES] = {"ssm_dt_norm", ROLE_NORM, MORE(mamba.dt_norm), size_one, more_ssm_rank, ssm, needs_ssm_norms},
    [ROLE_SSM_B_NORM - CORE_ROLES] = {"ssm_b_norm", ROLE_NORM, MORE(mamba.b_norm), size_one, more_ssm_state, ssm, needs_ssm_norms},
    [ROLE_SSM_C_NORM - CORE_ROLES] = {"ssm_c_norm", ROLE_NORM, MORE(mamba.c_norm), size_one, more_ssm_state, ssm, needs_ssm_norms},
    [ROLE_SSM_NORM - CORE_ROLES] = {"ssm_norm", ROLE_NORM, MORE(mamba.norm), more_ssm_groups, more_ssm_group, ssm, needs_ssm_norm},
    [ROLE_SSM_OUT - CORE_ROLES] = {"ssm_out", ROLE_LINEAR, MORE(mamba.out), more_dim, more_ssm_inner, ssm, needs_ssm},
    [ROLE_SHORT_CONV_IN - CORE_ROLES] = {"shortconv.in_proj", ROLE_LINEAR, MORE(short_conv.in), more_short_conv_in, more_dim, dim, needs_short_conv},
    [ROLE_SHORT_CONV - CORE_ROLES] = {"shortconv.conv", ROLE_VECTOR, MORE(short_conv.conv.w), more_dim, more_short_conv, taps, needs_short_conv},
    [ROLE_SHORT_CONV_OUT - CORE_ROLES] = {"shortconv.out_proj", ROLE_LINEAR, MORE(short_conv.out), more_dim, more_dim, dim, needs_short_conv},
    [ROLE_DELTA_Q - CORE_ROLES] = {"attn_q", ROLE_LINEAR, MORE(delta.q), more_delta_k, more_dim, ssm, needs_delta},
    [ROLE_DELTA_K - CORE_ROLES] = {"attn_k", ROLE_LINEAR, MORE(delta.k), more_delta_k, more_dim, ssm, needs_delta},
    [ROLE_DELTA_V - CORE_ROLES] = {"attn_v", ROLE_LINEAR, MORE(delta.v), more_delta_v, more_dim, ssm, needs_delta},
    [ROLE_DELTA_Q_CONV - CORE_ROLES] = {"ssm_conv1d_q", ROLE_VECTOR, MORE(delta.q_conv.w), more_delta_k, more_delta_taps, ssm, needs_delta},
    [ROLE_DELTA_K_CONV - CORE_ROLES] = {"ssm_conv1d_k", ROLE_VECTOR, MORE(delta.k_conv.w), more_delta_k, more_delta_taps, ssm, needs_delta},
    [ROLE_DELTA_V_CONV - CORE_ROLES] = {"ssm_conv1d_v", ROLE_VECTOR, MORE(delta.v_conv.w), more_delta_v, more_delta_taps, ssm, needs_delta},
    [ROLE_DELTA_DECAY_A - CORE_ROLES] = {"ssm_f_a", ROLE_LINEAR, MORE(delta.decay_a), more_delta_dim, more_dim, ssm, needs_delta_per_number},
    [ROLE_DELTA_DECAY - CORE_ROLES] = {"ssm_alpha", ROLE_LINEAR, MORE(delta.decay), more_delta_decays, more_delta_in, ssm, needs_delta_separate},
    [ROLE_DELTA_DT_BIAS - CORE_ROLES] = {"ssm_dt", ROLE_OFFSET, MORE(delta.dt_bias), size_one, more_delta_decays, ssm, needs_delta},
    [ROLE_DELTA_A - CORE_ROLES] = {"ssm_a", ROLE_PLAIN, MORE(delta.a), size_one, more_delta_heads, ssm, needs_delta},
    [ROLE_DELTA_BETA - CORE_ROLES] = {"ssm_beta", ROLE_LINEAR, MORE(delta.beta), more_delta_heads, more_dim, ssm, needs_delta_separate},
    [ROLE_DELTA_BOTH - CORE_ROLES] = {"ssm_ba", ROLE_LINEAR, MORE(delta.both), more_delta_fused_ba, more_dim, ssm, needs_delta_fused_ba},
    [ROLE_DELTA_GATE_A - CORE_ROLES] = {"ssm_g_a", ROLE_LINEAR, MORE(delta.gate_a), more_delta_dim, more_dim, ssm, needs_delta_per_number},
    [ROLE_DELTA_GATE - CORE_ROLES] = {"attn_gate", ROLE_LINEAR, MORE(delta.gate), more_delta_v, more_delta_in, ssm, needs_delta},
    [ROLE_DELTA_NORM - CORE_ROLES] = {"ssm_norm", ROLE_NORM, MORE(delta.norm), size_one, more_delta_dim, ssm, needs_delta},
    [ROLE_DELTA_OUT - CORE_ROLES] = {"ssm_out", ROLE_LINEAR, MORE(delta.out), more_dim, more_delta_v, ssm, needs_delta},
    [ROLE_RWKV_R - CORE_ROLES] = {"time_mix_receptance", ROLE_LINEAR, MORE(rwkv.r), more_dim, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_K - CORE_ROLES] = {"time_mix_key", ROLE_LINEAR, MORE(rwkv.k), more_dim, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_V - CORE_ROLES] = {"time_mix_value", ROLE_LINEAR, MORE(rwkv.v), more_dim, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_OUT - CORE_ROLES] = {"time_mix_output", ROLE_LINEAR, MORE(rwkv.out), more_dim, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_MU - CORE_ROLES] = {"time_mix_lerp_fused", ROLE_VECTOR, MORE(rwkv.mu), more_rwkv_mixes, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_W0 - CORE_ROLES] = {"time_mix_w0", ROLE_VECTOR, MORE(rwkv.w.bias), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_W1 - CORE_ROLES] = {"time_mix_w1", ROLE_LINEAR, MORE(rwkv.w.down), more_rwkv_w, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_W2 - CORE_ROLES] = {"time_mix_w2", ROLE_LINEAR, MORE(rwkv.w.up), more_dim, more_rwkv_w, rwkv, needs_rwkv},
    [ROLE_RWKV_A0 - CORE_ROLES] = {"time_mix_a0", ROLE_VECTOR, MORE(rwkv.a.bias), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_A1 - CORE_ROLES] = {"time_mix_a1", ROLE_LINEAR, MORE(rwkv.a.down), more_rwkv_a, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_A2 - CORE_ROLES] = {"time_mix_a2", ROLE_LINEAR, MORE(rwkv.a.up), more_dim, more_rwkv_a, rwkv, needs_rwkv},
    [ROLE_RWKV_VALUE0 - CORE_ROLES] = {"time_mix_v0", ROLE_VECTOR, MORE(rwkv.value.bias), size_one, more_dim, rwkv, needs_rwkv_value},
    [ROLE_RWKV_VALUE1 - CORE_ROLES] = {"time_mix_v1", ROLE_LINEAR, MORE(rwkv.value.down), more_rwkv_v, more_dim, rwkv, needs_rwkv_value},
    [ROLE_RWKV_VALUE2 - CORE_ROLES] = {"time_mix_v2", ROLE_LINEAR, MORE(rwkv.value.up), more_dim, more_rwkv_v, rwkv, needs_rwkv_value},
    [ROLE_RWKV_G1 - CORE_ROLES] = {"time_mix_g1", ROLE_LINEAR, MORE(rwkv.g.down), more_rwkv_g, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_G2 - CORE_ROLES] = {"time_mix_g2", ROLE_LINEAR, MORE(rwkv.g.up), more_dim, more_rwkv_g, rwkv, needs_rwkv},
    [ROLE_RWKV_KK - CORE_ROLES] = {"time_mix_k_k", ROLE_VECTOR, MORE(rwkv.kk), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_KA - CORE_ROLES] = {"time_mix_k_a", ROLE_VECTOR, MORE(rwkv.ka), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_RK - CORE_ROLES] = {"time_mix_r_k", ROLE_VECTOR, MORE(rwkv.rk), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_GAIN - CORE_ROLES] = {"time_mix_ln", ROLE_VECTOR, MORE(rwkv.norm.gain), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_BIAS - CORE_ROLES] = {"time_mix_ln", ROLE_OFFSET, MORE(rwkv.norm.bias), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_CHANNEL_NORM - CORE_ROLES] = {"attn_norm_2", ROLE_NORM, AT(ffn_norm), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_CHANNEL_MU - CORE_ROLES] = {"channel_mix_lerp_k", ROLE_VECTOR, MORE(rwkv.channel_mu), size_one, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_CHANNEL_UP - CORE_ROLES] = {"channel_mix_key", ROLE_LINEAR, MORE(rwkv.channel_up), more_rwkv_hidden, more_dim, rwkv, needs_rwkv},
    [ROLE_RWKV_CHANNEL_DOWN - CORE_ROLES] = {"channel_mix_value", ROLE_LINEAR, MORE(rwkv.channel_down), more_dim, more_rwkv_hidden, rwkv, needs_rwkv},
    [ROLE_JOIN_TOKEN_NORM - CORE_ROLES] = {"nextn.enorm", ROLE_NORM, MORE(join.token_norm), size_one, more_dim, dim, needs_drafts},
    [ROLE_JOIN_HIDDEN_NORM - CORE_ROLES] = {"nextn.hnorm", ROLE_NORM, MORE(join.hidden_norm), size_one, more_dim, dim, needs_drafts},
    [ROLE_JOIN - CORE_ROLES] = {"nextn.eh_proj", ROLE_LINEAR, MORE(join.map), more_dim, more_joined, dim, needs_join},
};
/* clang-format on */
