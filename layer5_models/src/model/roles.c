/* roles.c - see roles.h. */
#include "roles.h"

#include <stddef.h>
#include <stdio.h>

#define AT(member)   offsetof(Block, member), false
#define MORE(member) offsetof(BlockExtras, member), true

static const char dim[] = "embedding_length",
                  heads[] = "attention.head_count, head_count_kv, key_length, value_length and "
                            "embedding_length",
                  head[] = "attention.key_length",
                  latents[] =
                      "attention.kv_lora_rank, q_lora_rank, the lengths of keys and values "
                      "and rope.dimension_count",
                  index[] = "attention.indexer.head_count, key_length and q_lora_rank",
                  network[] = "feed_forward_length and "
                              "embedding_length",
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
static const Role roles[ROLES] = {
    [ROLE_ATTN_NORM]      = {"attn_norm",           ROLE_NORM,   AT(attn_norm),         EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_ATTN_Q]         = {"attn_q",              ROLE_LINEAR, AT(attention.q),       EXTENT_Q, EXTENT_ATTN_IN, heads},
    [ROLE_ATTN_K]         = {"attn_k",              ROLE_LINEAR, AT(attention.k),       EXTENT_K, EXTENT_ATTN_IN, heads},
    [ROLE_ATTN_V]         = {"attn_v",              ROLE_LINEAR, AT(attention.v),       EXTENT_V, EXTENT_ATTN_IN, heads},
    [ROLE_ATTN_OUTPUT]    = {"attn_output",         ROLE_LINEAR, AT(attention.o),       EXTENT_DIM, EXTENT_MIXED, heads},
    [ROLE_ATTN_Q_NORM]    = {"attn_q_norm",         ROLE_NORM,   AT(attention.q_norm),  EXTENT_HEADS, EXTENT_HEAD_DIM, head},
    [ROLE_ATTN_K_NORM]    = {"attn_k_norm",         ROLE_NORM,   AT(attention.k_norm),  EXTENT_HEADS, EXTENT_HEAD_DIM, head},
    [ROLE_ATTN_GATE] = {"attn_gate", ROLE_LINEAR, AT(attention.gate), EXTENT_ATTN_GATE, EXTENT_DIM, heads},
    [ROLE_ATTN_SUB_NORM] = {"attn_sub_norm", ROLE_NORM, AT(attention.sub_norm), EXTENT_ONE, EXTENT_MIXED, heads},
    [ROLE_LATENT_Q_A]     = {"attn_q_a",            ROLE_LINEAR, MORE(mla.q_a),           EXTENT_Q_LATENT, EXTENT_DIM, latents},
    [ROLE_LATENT_Q_NORM]  = {"attn_q_a_norm",       ROLE_NORM,   MORE(mla.q_a_norm),      EXTENT_ONE, EXTENT_Q_LATENT, latents},
    [ROLE_LATENT_Q_B]     = {"attn_q_b",            ROLE_LINEAR, MORE(mla.q_b),           EXTENT_Q, EXTENT_Q_LATENT, latents},
    [ROLE_LATENT_KV_A]    = {"attn_kv_a_mqa",       ROLE_LINEAR, MORE(mla.kv_a),          EXTENT_KV_LATENT, EXTENT_DIM, latents},
    [ROLE_LATENT_KV_NORM] = {"attn_kv_a_norm",      ROLE_NORM,   MORE(mla.kv_a_norm),     EXTENT_ONE, EXTENT_LATENT, latents},
    [ROLE_LATENT_K_B]     = {"attn_k_b",            ROLE_HEADS,  MORE(mla.k_b),           EXTENT_LATENT, EXTENT_PLAIN, latents},
    [ROLE_LATENT_V_B]     = {"attn_v_b",            ROLE_HEADS,  MORE(mla.v_b),           EXTENT_LATENT_VALUE, EXTENT_LATENT, latents},
    [ROLE_LATENT_KV_B]    = {"attn_kv_b",           ROLE_LINEAR, MORE(mla.kv_b),          EXTENT_KV_HEADS, EXTENT_LATENT, latents},
    [ROLE_INDEX_Q]        = {"indexer.attn_q_b",    ROLE_LINEAR, MORE(mla.index.q),       EXTENT_INDEX_Q, EXTENT_Q_LATENT, index},
    [ROLE_INDEX_K]        = {"indexer.attn_k",      ROLE_LINEAR, MORE(mla.index.k),       EXTENT_INDEX_WIDTH, EXTENT_DIM, index},
    [ROLE_INDEX_GAIN]     = {"indexer.k_norm",      ROLE_VECTOR, MORE(mla.index.k_norm.gain), EXTENT_ONE, EXTENT_INDEX_WIDTH, index},
    [ROLE_INDEX_BIAS]     = {"indexer.k_norm",      ROLE_OFFSET, MORE(mla.index.k_norm.bias), EXTENT_ONE, EXTENT_INDEX_WIDTH, index},
    [ROLE_INDEX_WEIGH]    = {"indexer.proj",        ROLE_LINEAR, MORE(mla.index.weigh),   EXTENT_INDEX_HEADS, EXTENT_DIM, index},
    [ROLE_ATTN_SINKS]     = {"attn_sinks",          ROLE_VECTOR, AT(attention.shape.sinks), EXTENT_ONE, EXTENT_HEADS, heads},
    [ROLE_ATTN_RELATIVE] = {"attn_rel_b", ROLE_VECTOR, MORE(relative.table), EXTENT_BUCKETS, EXTENT_HEADS, buckets},
    [ROLE_CROSS_NORM] = {"cross_attn_norm", ROLE_NORM, MORE(cross.norm), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_CROSS_Q] = {"cross_attn_q", ROLE_LINEAR, MORE(cross.attention.q), EXTENT_Q, EXTENT_DIM, heads},
    [ROLE_CROSS_K] = {"cross_attn_k", ROLE_LINEAR, MORE(cross.attention.k), EXTENT_K, EXTENT_DIM, heads},
    [ROLE_CROSS_V] = {"cross_attn_v", ROLE_LINEAR, MORE(cross.attention.v), EXTENT_V, EXTENT_DIM, heads},
    [ROLE_CROSS_OUT] = {"cross_attn_o", ROLE_LINEAR, MORE(cross.attention.o), EXTENT_DIM, EXTENT_MIXED, heads},
    [ROLE_ATTN_POST_NORM] = {"post_attention_norm", ROLE_NORM,   AT(attn_post_norm),    EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_ATTN_NORM_2] = {"attn_norm_2", ROLE_NORM, MORE(attn_norm_2), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_FFN_NORM]       = {"ffn_norm",            ROLE_NORM,   AT(ffn_norm),          EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_FFN_GATE]       = {"ffn_gate",            ROLE_LINEAR, AT(ffn.net.gate),      EXTENT_HIDDEN, EXTENT_DIM, network},
    [ROLE_FFN_UP]         = {"ffn_up",              ROLE_LINEAR, AT(ffn.net.up),        EXTENT_HIDDEN, EXTENT_DIM, network},
    [ROLE_FFN_DOWN]       = {"ffn_down",            ROLE_LINEAR, AT(ffn.net.down),      EXTENT_DIM, EXTENT_HIDDEN, network},
    [ROLE_FFN_SUB_NORM] = {"ffn_sub_norm", ROLE_NORM, AT(ffn.sub_norm), EXTENT_ONE, EXTENT_HIDDEN, network},
    [ROLE_ROUTER]         = {"ffn_gate_inp",        ROLE_LINEAR, MORE(experts.router.map),    EXTENT_EXPERTS, EXTENT_DIM, experts},
    [ROLE_ROUTER_BIAS]    = {"exp_probs_b",         ROLE_OFFSET, MORE(experts.router.select_bias), EXTENT_ONE, EXTENT_EXPERTS, experts},
    [ROLE_EXPERTS_GATE]   = {"ffn_gate_exps",       ROLE_STACK,  MORE(experts.net.gate),  EXTENT_EXPERT_HIDDEN, EXTENT_EXPERT_IN, experts},
    [ROLE_EXPERTS_UP]     = {"ffn_up_exps",         ROLE_STACK,  MORE(experts.net.up),    EXTENT_EXPERT_HIDDEN, EXTENT_EXPERT_IN, experts},
    [ROLE_EXPERTS_DOWN]   = {"ffn_down_exps",       ROLE_STACK,  MORE(experts.net.down),  EXTENT_EXPERT_IN, EXTENT_EXPERT_HIDDEN, experts},
    [ROLE_SHARED_ROUTER]  = {"ffn_gate_inp_shexp",  ROLE_LINEAR, MORE(experts.shared_gate),   EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_SHARED_GATE]    = {"ffn_gate_shexp",      ROLE_LINEAR, MORE(experts.shared.gate),   EXTENT_SHARED_HIDDEN, EXTENT_DIM, shared},
    [ROLE_SHARED_UP]      = {"ffn_up_shexp",        ROLE_LINEAR, MORE(experts.shared.up),     EXTENT_SHARED_HIDDEN, EXTENT_DIM, shared},
    [ROLE_SHARED_DOWN]    = {"ffn_down_shexp",      ROLE_LINEAR, MORE(experts.shared.down),   EXTENT_DIM, EXTENT_SHARED_HIDDEN, shared},
    [ROLE_FFN_POST_NORM]  = {"post_ffw_norm",       ROLE_NORM,   AT(ffn_post_norm),     EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_LATENT_DOWN]    = {"ffn_latent_down",     ROLE_LINEAR, MORE(experts.latent_down),   EXTENT_EXPERT_LATENT, EXTENT_DIM, latent},
    [ROLE_LATENT_UP]      = {"ffn_latent_up",       ROLE_LINEAR, MORE(experts.latent_up),     EXTENT_DIM, EXTENT_EXPERT_LATENT, latent},
    [ROLE_ROUTER_GAIN]    = {"ffn_gate_inp.scale",  ROLE_PLAIN,  MORE(experts.router.norm.gain), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_EXPERTS_SCALE]  = {"ffn_down_exps.scale", ROLE_PLAIN,  MORE(experts.router.expert_scale), EXTENT_ONE, EXTENT_EXPERTS, experts},
    [ROLE_EXPERTS_NORM]   = {"pre_ffw_norm_2",      ROLE_NORM,   MORE(experts.norm),  EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_NETWORK_POST_NORM] = {"post_ffw_norm_1",  ROLE_NORM,   MORE(network_post_norm), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_EXPERTS_POST_NORM] = {"post_ffw_norm_2",  ROLE_NORM,   MORE(experts_post_norm), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_LAYER_GATE]     = {"inp_gate",            ROLE_LINEAR, MORE(layer_input.gate),  EXTENT_INPUT, EXTENT_DIM, input},
    [ROLE_LAYER_OUT]      = {"proj",                ROLE_LINEAR, MORE(layer_input.out),   EXTENT_DIM, EXTENT_INPUT, input},
    [ROLE_LAYER_NORM]     = {"post_norm",           ROLE_NORM,   MORE(layer_input.norm),  EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_OUTPUT_SCALE]   = {"layer_output_scale",  ROLE_VECTOR, MORE(output_scale),      EXTENT_ONE, EXTENT_ONE, "the family"},
    [ROLE_ALTUP_ROUTER]   = {"altup_router",        ROLE_LINEAR, MORE(altup.router),      EXTENT_STREAMS, EXTENT_DIM, parts},
    [ROLE_ALTUP_NORM]     = {"altup_router_norm",   ROLE_NORM,   MORE(altup.router_norm), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_ALTUP_PREDICT]  = {"altup_predict_coef",  ROLE_LINEAR, MORE(altup.predict),     EXTENT_STREAM_PAIRS, EXTENT_STREAMS, parts},
    [ROLE_ALTUP_CORRECT]  = {"altup_correct_coef",  ROLE_LINEAR, MORE(altup.correct),     EXTENT_STREAMS, EXTENT_STREAMS, parts},
    [ROLE_ALTUP_SCALE]    = {"altup_correct_scale", ROLE_VECTOR, MORE(altup.scale),       EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_LAUREL_LEFT]    = {"laurel_l",            ROLE_LINEAR, MORE(laurel.left),       EXTENT_LAUREL, EXTENT_DIM, laurel},
    [ROLE_LAUREL_RIGHT]   = {"laurel_r",            ROLE_LINEAR, MORE(laurel.right),      EXTENT_DIM, EXTENT_LAUREL, laurel},
    [ROLE_LAUREL_NORM]    = {"laurel_post_norm",    ROLE_NORM,   MORE(laurel.norm),       EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_SSM_IN]         = {"ssm_in",              ROLE_LINEAR, MORE(mamba.in),          EXTENT_SSM_IN, EXTENT_DIM, ssm},
    [ROLE_SSM_CONV]       = {"ssm_conv1d",          ROLE_VECTOR, MORE(mamba.conv.w),      EXTENT_SSM_CONV, EXTENT_SSM_TAPS, ssm},
    [ROLE_SSM_CONV_BIAS]  = {"ssm_conv1d",          ROLE_OFFSET, MORE(mamba.conv.bias),   EXTENT_ONE, EXTENT_SSM_CONV, ssm},
    [ROLE_SSM_X]          = {"ssm_x",               ROLE_LINEAR, MORE(mamba.x),           EXTENT_SSM_X, EXTENT_SSM_INNER, ssm},
    [ROLE_SSM_DT]         = {"ssm_dt",              ROLE_LINEAR, MORE(mamba.dt),          EXTENT_SSM_INNER, EXTENT_SSM_RANK, ssm},
    [ROLE_SSM_DT_BIAS]    = {"ssm_dt",              ROLE_OFFSET, MORE(mamba.dt_bias),     EXTENT_ONE, EXTENT_SSM_A, ssm},
    [ROLE_SSM_A]          = {"ssm_a",               ROLE_PLAIN,  MORE(mamba.a),           EXTENT_SSM_A, EXTENT_SSM_RATES, ssm},
    [ROLE_SSM_D]          = {"ssm_d",               ROLE_PLAIN,  MORE(mamba.d),           EXTENT_SSM_A, EXTENT_ONE, ssm},
    [ROLE_SSM_DT_NORM]    = {"ssm_dt_norm",         ROLE_NORM,   MORE(mamba.dt_norm),     EXTENT_ONE, EXTENT_SSM_RANK, ssm},
    [ROLE_SSM_B_NORM]     = {"ssm_b_norm",          ROLE_NORM,   MORE(mamba.b_norm),      EXTENT_ONE, EXTENT_SSM_STATE, ssm},
    [ROLE_SSM_C_NORM]     = {"ssm_c_norm",          ROLE_NORM,   MORE(mamba.c_norm),      EXTENT_ONE, EXTENT_SSM_STATE, ssm},
    [ROLE_SSM_NORM]       = {"ssm_norm",            ROLE_NORM,   MORE(mamba.norm),        EXTENT_SSM_GROUPS, EXTENT_SSM_GROUP, ssm},
    [ROLE_SSM_OUT]        = {"ssm_out",             ROLE_LINEAR, MORE(mamba.out),         EXTENT_DIM, EXTENT_SSM_INNER, ssm},
    [ROLE_SHORT_CONV_IN]  = {"shortconv.in_proj",   ROLE_LINEAR, MORE(short_conv.in),     EXTENT_SHORT_CONV_IN, EXTENT_DIM, dim},
    [ROLE_SHORT_CONV]     = {"shortconv.conv",      ROLE_VECTOR, MORE(short_conv.conv.w), EXTENT_DIM, EXTENT_SHORT_CONV, taps},
    [ROLE_SHORT_CONV_OUT] = {"shortconv.out_proj",  ROLE_LINEAR, MORE(short_conv.out),    EXTENT_DIM, EXTENT_DIM, dim},
    [ROLE_DELTA_Q] = {"attn_q", ROLE_LINEAR, MORE(delta.q), EXTENT_DELTA_K, EXTENT_DIM, ssm},
    [ROLE_DELTA_K] = {"attn_k", ROLE_LINEAR, MORE(delta.k), EXTENT_DELTA_K, EXTENT_DIM, ssm},
    [ROLE_DELTA_V] = {"attn_v", ROLE_LINEAR, MORE(delta.v), EXTENT_DELTA_V, EXTENT_DIM, ssm},
    [ROLE_DELTA_Q_CONV] = {"ssm_conv1d_q", ROLE_VECTOR, MORE(delta.q_conv.w), EXTENT_DELTA_K, EXTENT_DELTA_TAPS, ssm},
    [ROLE_DELTA_K_CONV] = {"ssm_conv1d_k", ROLE_VECTOR, MORE(delta.k_conv.w), EXTENT_DELTA_K, EXTENT_DELTA_TAPS, ssm},
    [ROLE_DELTA_V_CONV] = {"ssm_conv1d_v", ROLE_VECTOR, MORE(delta.v_conv.w), EXTENT_DELTA_V, EXTENT_DELTA_TAPS, ssm},
    [ROLE_DELTA_DECAY_A] = {"ssm_f_a", ROLE_LINEAR, MORE(delta.decay_a), EXTENT_DELTA_DIM, EXTENT_DIM, ssm},
    [ROLE_DELTA_DECAY] = {"ssm_alpha", ROLE_LINEAR, MORE(delta.decay), EXTENT_DELTA_DECAYS, EXTENT_DELTA_IN, ssm},
    [ROLE_DELTA_DT_BIAS] = {"ssm_dt", ROLE_OFFSET, MORE(delta.dt_bias), EXTENT_ONE, EXTENT_DELTA_DECAYS, ssm},
    [ROLE_DELTA_A] = {"ssm_a", ROLE_PLAIN, MORE(delta.a), EXTENT_ONE, EXTENT_DELTA_HEADS, ssm},
    [ROLE_DELTA_BETA] = {"ssm_beta", ROLE_LINEAR, MORE(delta.beta), EXTENT_DELTA_HEADS, EXTENT_DIM, ssm},
    [ROLE_DELTA_BOTH] = {"ssm_ba", ROLE_LINEAR, MORE(delta.both), EXTENT_DELTA_BOTH, EXTENT_DIM, ssm},
    [ROLE_DELTA_GATE_A] = {"ssm_g_a", ROLE_LINEAR, MORE(delta.gate_a), EXTENT_DELTA_DIM, EXTENT_DIM, ssm},
    [ROLE_DELTA_GATE] = {"attn_gate", ROLE_LINEAR, MORE(delta.gate), EXTENT_DELTA_V, EXTENT_DELTA_IN, ssm},
    [ROLE_DELTA_NORM] = {"ssm_norm", ROLE_NORM, MORE(delta.norm), EXTENT_ONE, EXTENT_DELTA_DIM, ssm},
    [ROLE_DELTA_OUT] = {"ssm_out", ROLE_LINEAR, MORE(delta.out), EXTENT_DIM, EXTENT_DELTA_V, ssm},
    [ROLE_RWKV_R] = {"time_mix_receptance", ROLE_LINEAR, MORE(rwkv.r), EXTENT_DIM, EXTENT_DIM, rwkv},
    [ROLE_RWKV_K] = {"time_mix_key", ROLE_LINEAR, MORE(rwkv.k), EXTENT_DIM, EXTENT_DIM, rwkv},
    [ROLE_RWKV_V] = {"time_mix_value", ROLE_LINEAR, MORE(rwkv.v), EXTENT_DIM, EXTENT_DIM, rwkv},
    [ROLE_RWKV_OUT] = {"time_mix_output", ROLE_LINEAR, MORE(rwkv.out), EXTENT_DIM, EXTENT_DIM, rwkv},
    [ROLE_RWKV_MU] = {"time_mix_lerp_fused", ROLE_VECTOR, MORE(rwkv.mu), EXTENT_RWKV_MIXES, EXTENT_DIM, rwkv},
    [ROLE_RWKV_W0] = {"time_mix_w0", ROLE_VECTOR, MORE(rwkv.w.bias), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_W1] = {"time_mix_w1", ROLE_LINEAR, MORE(rwkv.w.down), EXTENT_RWKV_W, EXTENT_DIM, rwkv},
    [ROLE_RWKV_W2] = {"time_mix_w2", ROLE_LINEAR, MORE(rwkv.w.up), EXTENT_DIM, EXTENT_RWKV_W, rwkv},
    [ROLE_RWKV_A0] = {"time_mix_a0", ROLE_VECTOR, MORE(rwkv.a.bias), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_A1] = {"time_mix_a1", ROLE_LINEAR, MORE(rwkv.a.down), EXTENT_RWKV_A, EXTENT_DIM, rwkv},
    [ROLE_RWKV_A2] = {"time_mix_a2", ROLE_LINEAR, MORE(rwkv.a.up), EXTENT_DIM, EXTENT_RWKV_A, rwkv},
    [ROLE_RWKV_VALUE0] = {"time_mix_v0", ROLE_VECTOR, MORE(rwkv.value.bias), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_VALUE1] = {"time_mix_v1", ROLE_LINEAR, MORE(rwkv.value.down), EXTENT_RWKV_V, EXTENT_DIM, rwkv},
    [ROLE_RWKV_VALUE2] = {"time_mix_v2", ROLE_LINEAR, MORE(rwkv.value.up), EXTENT_DIM, EXTENT_RWKV_V, rwkv},
    [ROLE_RWKV_G1] = {"time_mix_g1", ROLE_LINEAR, MORE(rwkv.g.down), EXTENT_RWKV_G, EXTENT_DIM, rwkv},
    [ROLE_RWKV_G2] = {"time_mix_g2", ROLE_LINEAR, MORE(rwkv.g.up), EXTENT_DIM, EXTENT_RWKV_G, rwkv},
    [ROLE_RWKV_KK] = {"time_mix_k_k", ROLE_VECTOR, MORE(rwkv.kk), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_KA] = {"time_mix_k_a", ROLE_VECTOR, MORE(rwkv.ka), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_RK] = {"time_mix_r_k", ROLE_VECTOR, MORE(rwkv.rk), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_GAIN] = {"time_mix_ln", ROLE_VECTOR, MORE(rwkv.norm.gain), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_BIAS] = {"time_mix_ln", ROLE_OFFSET, MORE(rwkv.norm.bias), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_CHANNEL_NORM] = {"attn_norm_2", ROLE_NORM, AT(ffn_norm), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_CHANNEL_MU] = {"channel_mix_lerp_k", ROLE_VECTOR, MORE(rwkv.channel_mu), EXTENT_ONE, EXTENT_DIM, rwkv},
    [ROLE_RWKV_CHANNEL_UP] = {"channel_mix_key", ROLE_LINEAR, MORE(rwkv.channel_up), EXTENT_RWKV_HIDDEN, EXTENT_DIM, rwkv},
    [ROLE_RWKV_CHANNEL_DOWN] = {"channel_mix_value", ROLE_LINEAR, MORE(rwkv.channel_down), EXTENT_DIM, EXTENT_RWKV_HIDDEN, rwkv},
    [ROLE_JOIN_TOKEN_NORM] = {"nextn.enorm", ROLE_NORM, MORE(join.token_norm), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_JOIN_HIDDEN_NORM] = {"nextn.hnorm", ROLE_NORM, MORE(join.hidden_norm), EXTENT_ONE, EXTENT_DIM, dim},
    [ROLE_JOIN] = {"nextn.eh_proj", ROLE_LINEAR, MORE(join.map), EXTENT_DIM, EXTENT_JOINED, dim},
};
/* clang-format on */

const Role *role_of(RoleId id) { return &roles[id]; }

void *role_in(const Role *role, Block *block) {
    return (role->in_extras ? (char *)block->extras : (char *)block) + role->place;
}

/* What goes through the convolution: x, and with heads B and C of each group. */
static size_t ssm_channels(const LayerSizes *s) {
    return s->ssm_inner + (s->ssm_heads ? 2 * s->ssm_groups * s->ssm_state : 0);
}

size_t extent_of(Extent extent, const LayerSizes *s) {
    switch (extent) {
    case EXTENT_ONE: return 1;
    case EXTENT_DIM: return s->dim;
    case EXTENT_Q:
        if (s->latent) return s->heads * (s->plain + s->rotary);
        return s->heads * s->head_dim * (s->gate_in_q ? 2 : 1);
    case EXTENT_K: return s->kv_heads * s->head_dim;
    case EXTENT_V: return s->kv_heads * s->value_dim;
    case EXTENT_MIXED: return s->heads * (s->latent ? s->latent_value : s->value_dim);
    case EXTENT_ATTN_GATE: return s->attn_gate;
    case EXTENT_LATENT: return s->latent;
    case EXTENT_Q_LATENT: return s->q_latent;
    case EXTENT_KV_LATENT: return s->latent + s->rotary;
    case EXTENT_KV_HEADS: return s->heads * (s->plain + s->latent_value);
    case EXTENT_INDEX_Q: return s->index_heads * s->index_width;
    case EXTENT_INDEX_HEADS: return s->index_heads;
    case EXTENT_INDEX_WIDTH: return s->index_width;
    case EXTENT_PLAIN: return s->plain;
    case EXTENT_LATENT_VALUE: return s->latent_value;
    case EXTENT_HEADS: return s->heads;
    case EXTENT_BUCKETS: return s->buckets;
    case EXTENT_HEAD_DIM: return s->head_dim;
    case EXTENT_HIDDEN: return s->hidden;
    case EXTENT_EXPERTS: return s->experts;
    case EXTENT_EXPERT_HIDDEN: return s->expert_hidden;
    case EXTENT_EXPERT_IN: return s->expert_latent ? s->expert_latent : s->dim;
    case EXTENT_EXPERT_LATENT: return s->expert_latent;
    case EXTENT_INPUT: return s->input;
    case EXTENT_STREAMS: return s->streams;
    case EXTENT_STREAM_PAIRS: return s->streams * s->streams;
    case EXTENT_LAUREL: return s->laurel;
    case EXTENT_SHARED_HIDDEN: return s->shared_hidden;
    case EXTENT_SSM_IN: return s->ssm_inner + ssm_channels(s) + s->ssm_heads;
    case EXTENT_SSM_CONV: return ssm_channels(s);
    case EXTENT_SSM_X: return s->ssm_rank + 2 * s->ssm_state;
    case EXTENT_SSM_A: return s->ssm_heads ? s->ssm_heads : s->ssm_inner;
    case EXTENT_SSM_RATES: return s->ssm_heads ? 1 : s->ssm_state;
    case EXTENT_SSM_GROUP: return s->ssm_groups ? s->ssm_inner / s->ssm_groups : 0;
    case EXTENT_SSM_INNER: return s->ssm_inner;
    case EXTENT_SSM_STATE: return s->ssm_state;
    case EXTENT_SSM_RANK: return s->ssm_rank;
    case EXTENT_SSM_GROUPS: return s->ssm_groups;
    case EXTENT_SSM_TAPS: return s->ssm_taps;
    case EXTENT_SHORT_CONV_IN: return 3 * s->dim;
    case EXTENT_SHORT_CONV: return s->short_conv;
    case EXTENT_DELTA_K: return s->delta_keys * s->delta_dim;
    case EXTENT_DELTA_V: return s->delta_heads * s->delta_dim;
    case EXTENT_DELTA_DECAYS: return s->delta_heads * (s->delta_each ? s->delta_dim : 1);
    case EXTENT_DELTA_HEADS: return s->delta_heads;
    case EXTENT_DELTA_BOTH: return 2 * s->delta_heads;
    case EXTENT_DELTA_IN: return s->delta_each ? s->delta_dim : s->dim;
    case EXTENT_DELTA_DIM: return s->delta_dim;
    case EXTENT_DELTA_TAPS: return s->delta_taps;
    case EXTENT_RWKV_MIXES: return RWKV_MIXES;
    case EXTENT_RWKV_W: return s->rwkv_w;
    case EXTENT_RWKV_A: return s->rwkv_a;
    case EXTENT_RWKV_V: return s->rwkv_v;
    case EXTENT_RWKV_G: return s->rwkv_g;
    case EXTENT_RWKV_HIDDEN: return s->rwkv_hidden;
    case EXTENT_JOINED: return 2 * s->dim;
    case EXTENT_ATTN_IN: return s->joined ? 2 * s->dim : s->dim;
    }
    return 0;
}

const char *block_tensor_name(char *out, size_t size, size_t layer, const char *name,
                              const char *suffix) {
    snprintf(out, size, "blk.%zu.%s%s%s", layer, name, suffix ? "." : "", suffix ? suffix : "");
    return out;
}
