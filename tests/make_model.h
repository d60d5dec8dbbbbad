/* make_model.h - a small model of any family with random weights, as a GGUF file in memory.
 *
 * What a family's files look like stands in make_families.h, in words; a test says more of them. */
#ifndef STRATA_MAKE_MODEL_H
#define STRATA_MAKE_MODEL_H

#include "make_beside.h"
#include "make_draft.h"
#include "make_eye.h"
#include "make_source.h"

static inline void make_head_norm(GgufWriter *w, const MakeModel *m, size_t layer,
                                  const char *what, size_t heads) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s", layer, what);
    size_t hd = make_head_dim(m, layer), own[2] = {heads, hd}, row = heads * hd;
    if (make_says(m, "small_gains")) { /* or scores that nothing scales are large */
        make_tensor(w, m, block_tensor_name(name, sizeof name, layer, what, "weight"), 1, &hd,
                    0.5, 0.1, DTYPE_F32);
        return;
    }
    if (make_says(m, "own_norms")) make_norm_of(w, m, name, 2, own);
    if (make_says(m, "row_norms")) make_norm_of(w, m, name, 1, &row);
    if (make_says(m, "head_norms")) make_norm_of(w, m, name, 1, &hd);
}

/* A matrix for each head. */
static inline void make_heads(GgufWriter *w, const MakeModel *m, size_t l, const char *what,
                              size_t out, size_t in) {
    char name[96];
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, what, "weight"), 3,
                (size_t[]){m->heads, out, in}, 0, 1.5 / sqrt((double)in), m->dtype);
}

static inline void make_indexer(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t width = m->head_dim;
    char name[96];
    make_map(w, m, l, "indexer.attn_q_b", MAKE_INDEX_HEADS * width, make_q_latent(m));
    make_map(w, m, l, "indexer.attn_k", width, m->dim);
    make_norm(w, m, l, "indexer.k_norm", width);
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "indexer.k_norm", "bias"), width,
                0);
    make_map(w, m, l, "indexer.proj", MAKE_INDEX_HEADS, m->dim);
}

static inline void make_latents(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t latent = make_latent(m), q_latent = make_q_latent(m), plain = make_plain(m),
           value = make_latent_value(m), query = m->heads * (plain + make_turned(m));
    if (q_latent) {
        make_linear(w, m, l, "attn_q_a", q_latent, m->dim, 1.5);
        make_norm(w, m, l, "attn_q_a_norm", q_latent);
    }
    make_linear(w, m, l, q_latent ? "attn_q_b" : "attn_q", query, q_latent ? q_latent : m->dim,
                1.5);
    if (make_says(m, "indexer")) make_indexer(w, m, l);
    make_linear(w, m, l, "attn_kv_a_mqa", latent + make_turned(m), m->dim, 1.5);
    make_norm(w, m, l, "attn_kv_a_norm", latent);
    if (make_says(m, "absorbed")) {
        make_heads(w, m, l, "attn_k_b", latent, plain);
        make_heads(w, m, l, "attn_v_b", value, latent);
    } else {
        make_linear(w, m, l, "attn_kv_b", m->heads * (plain + value), latent, 1.5);
    }
    make_linear(w, m, l, "attn_output", m->dim, m->heads * value, 1);
}

static inline void make_attention(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t heads = make_of_layer(m, l, m->heads), kv_heads = make_of_layer(m, l, m->kv_heads),
           hd = make_head_dim(m, l), vd = make_says(m, "window_heads") ? hd : make_value_dim(m),
           q = heads * hd, k = kv_heads * hd, v = kv_heads * vd,
           in = make_says(m, "guesses") ? 2 * m->dim : m->dim;
    bool own = make_keeps(m, l);
    char name[96];
    if (make_says(m, "fused_qkv")) {
        make_linear(w, m, l, "attn_qkv", q + k + v, m->dim, 1.5);
    } else {
        make_linear(w, m, l, "attn_q", make_says(m, "gate_in_q") ? 2 * q : q, in, 1.5);
        if (own) make_linear(w, m, l, "attn_k", k, in, 1.5);
        if (own && (!make_says(m, "keys_as_values") || make_windowed(l)))
            make_linear(w, m, l, "attn_v", v, in, 1);
    }
    make_linear(w, m, l, "attn_output", m->dim, heads * vd, 1);
    if (make_says(m, "gate_numbers"))
        make_linear(w, m, l, "attn_gate", heads * make_value_dim(m), m->dim, 1.5);
    if (make_says(m, "gate_heads")) make_linear(w, m, l, "attn_gate", heads, m->dim, 1.5);
    if (make_says(m, "sub_norms"))
        make_norm(w, m, l, "attn_sub_norm", heads * make_value_dim(m));
    make_head_norm(w, m, l, "attn_q_norm", heads);
    if (own) make_head_norm(w, m, l, "attn_k_norm", kv_heads);
    snprintf(name, sizeof name, "blk.%zu.attn_sinks.weight", l);
    if (make_says(m, "sinks")) make_vector(w, m, name, heads, 1);
}

static inline void make_network(GgufWriter *w, const MakeModel *m, size_t l, const char *suffix,
                                size_t hidden) {
    char gate[40], up[40], down[40];
    bool both = make_says(m, "gate_in_up");
    snprintf(gate, sizeof gate, "ffn_gate%s", suffix);
    snprintf(up, sizeof up, "ffn_up%s", suffix),
        snprintf(down, sizeof down, "ffn_down%s", suffix);
    if (!make_says(m, "plain") && !both) make_linear(w, m, l, gate, hidden, m->dim, 1.5);
    make_linear(w, m, l, up, both ? 2 * hidden : hidden, m->dim, 1.5);
    make_linear(w, m, l, down, m->dim, hidden, 1.5);
}

static inline void make_adjugates(GgufWriter *w, const MakeModel *m, size_t l) {
    MakeModel small = *m;
    if (!make_says(m, "adjugates")) return;
    small.experts /= make_size(m, "adjugates", 1);
    make_stack(w, &small, l, "ffn_gate_chexps", m->head_dim, m->dim);
    make_stack(w, &small, l, "ffn_up_chexps", m->head_dim, m->dim);
    make_stack(w, &small, l, "ffn_down_chexps", m->dim, m->head_dim);
}

static inline void make_experts(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t hidden = make_expert_hidden(m), in = make_size(m, "latent_experts", m->dim);
    char name[96];
    make_linear(w, m, l, "ffn_gate_inp", m->experts, m->dim, 2);
    snprintf(name, sizeof name, "blk.%zu.exp_probs_b.bias", l);
    if (make_says(m, "choice_bias")) make_vector(w, m, name, m->experts, 0);
    bool joined = make_says(m, "joined_experts");
    if (joined) make_stack(w, m, l, "ffn_gate_up_exps", 2 * hidden, in);
    if (!make_says(m, "plain") && !joined) make_stack(w, m, l, "ffn_gate_exps", hidden, in);
    if (!joined) make_stack(w, m, l, "ffn_up_exps", hidden, in);
    make_stack(w, m, l, "ffn_down_exps", in, hidden);
    make_adjugates(w, m, l);
    if (make_says(m, "latent_experts")) {
        make_map(w, m, l, "ffn_latent_down", in, m->dim);
        make_map(w, m, l, "ffn_latent_up", m->dim, in);
    }
    if (make_says(m, "beside")) make_beside_norms(w, m, l);
    if (make_says(m, "shared")) make_network(w, m, l, "_shexp", m->hidden / 2);
    if (make_says(m, "shared_gate")) make_linear(w, m, l, "ffn_gate_inp_shexp", 1, m->dim, 1.5);
}

/* A state of 20 numbers: not whole lanes. */
static inline void make_ssm(GgufWriter *w, const MakeModel *m, size_t l) {
    enum { TAPS = 4 };
    bool heads = make_says(m, "ssm") == 2;
    size_t inner = 2 * m->dim, n = make_state(m), rank = make_ssm_rank(m),
           channels = inner + (heads ? 2 * 2 * n : 0), rates[2] = {inner, n},
           one[2] = {rank, 1}, groups[2] = {2, inner / 2};
    char name[96];
    if (make_says(m, "ssm_norms")) {
        make_norm(w, m, l, "ssm_dt_norm", rank);
        make_norm(w, m, l, "ssm_b_norm", n), make_norm(w, m, l, "ssm_c_norm", n);
    }
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, "ssm_in", "weight"),
                heads ? inner + channels + rank : 2 * inner, m->dim, 1.5);
    block_tensor_name(name, sizeof name, l, "ssm_conv1d", "weight");
    make_tensor(w, m, name, 2, (size_t[]){channels, TAPS}, 0, 0.5, DTYPE_F32);
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "ssm_conv1d", "bias"), channels,
                0);
    if (!heads) {
        make_matrix(w, m, block_tensor_name(name, sizeof name, l, "ssm_x", "weight"),
                    rank + 2 * n, inner, 1.5);
        make_matrix(w, m, block_tensor_name(name, sizeof name, l, "ssm_dt", "weight"), inner,
                    rank, 1);
    }
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "ssm_dt", "bias"),
                heads ? rank : inner, -1);
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, "ssm_a", NULL), 2,
                heads ? one : rates, -1, 0.3, DTYPE_F32);
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, "ssm_d", NULL), heads ? 2 : 1,
                heads ? one : rates, 1, 0.3, DTYPE_F32);
    snprintf(name, sizeof name, "blk.%zu.ssm_norm", l);
    if (heads) make_norm_of(w, m, name, 2, groups);
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, "ssm_out", "weight"), m->dim,
                inner, 1.5);
}

/* B * u is convolved, C gates what comes out. */
static inline void make_short_conv(GgufWriter *w, const MakeModel *m, size_t l) {
    char name[96];
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, "shortconv.in_proj", "weight"),
                3 * m->dim, m->dim, 1.5);
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, "shortconv.conv", "weight"), 2,
                (size_t[]){m->dim, 3}, 0, 0.5, DTYPE_F32);
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, "shortconv.out_proj", "weight"),
                m->dim, m->dim, 1.5);
}

/* Numbers that decay: ssm_a below 0. */
static inline void make_decays(GgufWriter *w, const MakeModel *m, size_t l, size_t heads,
                               size_t biases) {
    char name[96];
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "ssm_dt", "bias"), biases, -1);
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, "ssm_a", NULL),
                make_says(m, "kda") ? 2 : 1, (size_t[]){heads, 1}, -1, 0.3, DTYPE_F32);
    make_norm(w, m, l, "ssm_norm", m->head_dim);
}

static inline void make_taps(GgufWriter *w, const MakeModel *m, size_t l, const char *what,
                             size_t channels) {
    char name[96];
    bool apart = make_says(m, "kda"); /* q, k and v have their own, of one more dimension */
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, what, "weight"), apart ? 3 : 2,
                apart ? (size_t[]){channels, 1, 4} : (size_t[]){channels, 4}, 0, 0.5,
                DTYPE_F32);
}

static inline void make_delta(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t d = m->head_dim, v = MAKE_DELTA_HEADS * d, channels = 2 * MAKE_DELTA_KEYS * d + v;
    make_map(w, m, l, "attn_qkv", channels, m->dim), make_taps(w, m, l, "ssm_conv1d", channels);
    make_map(w, m, l, "attn_gate", v, m->dim);
    if (make_says(m, "delta") == 1) {
        make_map(w, m, l, "ssm_ba", 2 * MAKE_DELTA_HEADS, m->dim);
    } else {
        make_map(w, m, l, "ssm_alpha", MAKE_DELTA_HEADS, m->dim);
        make_map(w, m, l, "ssm_beta", MAKE_DELTA_HEADS, m->dim);
    }
    make_decays(w, m, l, MAKE_DELTA_HEADS, MAKE_DELTA_HEADS);
    make_map(w, m, l, "ssm_out", m->dim, v);
}

static inline void make_kda(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t d = m->head_dim, v = m->heads * d;
    make_map(w, m, l, "attn_q", v, m->dim), make_taps(w, m, l, "ssm_conv1d_q", v);
    make_map(w, m, l, "attn_k", v, m->dim), make_taps(w, m, l, "ssm_conv1d_k", v);
    make_map(w, m, l, "attn_v", v, m->dim), make_taps(w, m, l, "ssm_conv1d_v", v);
    make_map(w, m, l, "ssm_f_a", d, m->dim), make_map(w, m, l, "ssm_f_b", v, d);
    make_map(w, m, l, "ssm_g_a", d, m->dim), make_map(w, m, l, "ssm_g_b", v, d);
    make_map(w, m, l, "ssm_beta", m->heads, m->dim);
    make_decays(w, m, l, m->heads, v);
    make_map(w, m, l, "attn_output", m->dim, v);
}

static inline void make_rwkv_vector(GgufWriter *w, const MakeModel *m, size_t l,
                                    const char *what, size_t rows, double mean) {
    char name[96];
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, what, "weight"), 2,
                (size_t[]){rows, m->dim}, mean, 0.2, DTYPE_F32);
}

/* A map by way of few numbers, and what is added to it. */
static inline void make_rwkv_map(GgufWriter *w, const MakeModel *m, size_t l, char what,
                                 size_t rank, double mean) {
    char name[40];
    snprintf(name, sizeof name, "time_mix_%c0", what);
    if (what != 'g') make_rwkv_vector(w, m, l, name, 1, mean);
    snprintf(name, sizeof name, "time_mix_%c1", what), make_map(w, m, l, name, rank, m->dim);
    snprintf(name, sizeof name, "time_mix_%c2", what), make_map(w, m, l, name, m->dim, rank);
}

static inline void make_channel_mix(GgufWriter *w, const MakeModel *m, size_t l) {
    make_norm(w, m, l, "attn_norm_2", m->dim);
    make_rwkv_vector(w, m, l, "channel_mix_lerp_k", 1, 0.5);
    make_map(w, m, l, "channel_mix_key", m->hidden, m->dim);
    make_map(w, m, l, "channel_mix_value", m->dim, m->hidden);
    if (make_says(m, "rwkv") != 6) return;
    make_rwkv_vector(w, m, l, "channel_mix_lerp_r", 1, 0.5);
    make_map(w, m, l, "channel_mix_receptance", m->dim, m->dim);
}

/* The first layer has a map for values, too, of another rank; nothing reads it. */
static inline void make_rwkv(GgufWriter *w, const MakeModel *m, size_t l) {
    static const char *const maps[] = {"receptance", "key", "value", "output"};
    const bool bare = make_says(m, "bare_mix");
    char name[60], lerp[96];
    for (int i = 0; i < 4; i++)
        snprintf(name, sizeof name, "time_mix_%s", maps[i]),
            make_map(w, m, l, name, m->dim, m->dim);
    make_rwkv_map(w, m, l, 'w', MAKE_W, -1), make_rwkv_map(w, m, l, 'a', MAKE_A, 0);
    make_rwkv_map(w, m, l, 'v', l ? MAKE_V : MAKE_A, 0);
    if (!bare) make_rwkv_map(w, m, l, 'g', MAKE_G, 0);
    make_tensor(w, m, block_tensor_name(lerp, sizeof lerp, l, "time_mix_lerp_fused", "weight"),
                4, (size_t[]){bare ? 5 : 6, 1, 1, m->dim}, 0.5, 0.2, DTYPE_F32);
    make_rwkv_vector(w, m, l, "time_mix_k_k", 1, 0.8);
    make_rwkv_vector(w, m, l, "time_mix_k_a", 1, 0.9);
    make_rwkv_vector(w, m, l, "time_mix_r_k", 1, 0);
    if (!bare) make_norm(w, m, l, "time_mix_ln", m->dim);
    block_tensor_name(name, sizeof name, l, "time_mix_ln", "bias");
    if (!bare && !make_says(m, "norm_biases")) make_vector(w, m, name, m->dim, 0);
    if (!make_says(m, "distilled")) make_channel_mix(w, m, l);
}

/* Five mixes that depend on the token; in old files their mu are apart. */
static inline void make_rwkv6_shift(GgufWriter *w, const MakeModel *m, size_t l) {
    char name[96];
    make_rwkv_vector(w, m, l, "time_mix_lerp_x", 1, 0.5);
    make_map(w, m, l, "time_mix_w1", 5 * MAKE_SHIFT, m->dim);
    block_tensor_name(name, sizeof name, l, "time_mix_w2", "weight");
    make_tensor(w, m, name, 3, (size_t[]){5, m->dim, MAKE_SHIFT}, 0, 0.2, DTYPE_F32);
    make_scales(w, m, name, 5);
    block_tensor_name(name, sizeof name, l, "time_mix_lerp_fused", "weight");
    if (!make_says(m, "apart_mu"))
        make_tensor(w, m, name, 4, (size_t[]){5, 1, 1, m->dim}, 0.5, 0.2, DTYPE_F32);
    for (const char *x = "wkvrg"; *x && make_says(m, "apart_mu"); x++)
        snprintf(name, sizeof name, "time_mix_lerp_%c", *x),
            make_rwkv_vector(w, m, l, name, 1, 0.5);
}

static inline void make_rwkv6(GgufWriter *w, const MakeModel *m, size_t l) {
    static const char *const maps[] = {"receptance", "key", "value", "gate", "output"};
    const bool whole = !make_says(m, "distilled");
    const size_t kv = make_rwkv_kv(m) * m->head_dim;
    char name[96];
    make_rwkv6_shift(w, m, l);
    for (int i = 0; i < 5; i++)
        snprintf(name, sizeof name, "time_mix_%s", maps[i]),
            make_map(w, m, l, name, i == 1 || i == 2 ? kv : m->dim, m->dim);
    for (int i = 0; i < 3 && make_says(m, "mix_biases"); i++)
        snprintf(name, sizeof name, "blk.%zu.time_mix_%s.bias", l, maps[i]),
            make_vector(w, m, name, i ? kv : m->dim, 0);
    make_rwkv_vector(w, m, l, "time_mix_decay", 1, -1);
    make_map(w, m, l, "time_mix_decay_w1", MAKE_W, m->dim);
    make_map(w, m, l, "time_mix_decay_w2", m->dim, MAKE_W);
    if (!whole) return;
    block_tensor_name(name, sizeof name, l, "time_mix_first", "weight");
    make_tensor(w, m, name, 2, (size_t[]){m->dim / m->head_dim, m->head_dim}, 0.5, 0.5,
                DTYPE_F32);
    make_norm(w, m, l, "time_mix_ln", m->dim);
    make_channel_mix(w, m, l);
}

static inline bool make_has_experts(const MakeModel *m, size_t l) {
    bool dense = l < make_size(m, "dense_first", 0);
    return m->experts && !dense && l % make_size(m, "experts_every", 1) == 0;
}

static inline void make_feed_forward(GgufWriter *w, const MakeModel *m, size_t l) {
    if (make_has_experts(m, l)) make_experts(w, m, l);
    if (!make_has_experts(m, l) || make_says(m, "beside"))
        make_network(w, m, l, "", make_hidden(m, l));
    if (make_says(m, "ahead")) {
        make_network(w, m, l, "", m->dim);
        make_norm(w, m, l, "ffn_norm_exps", m->dim);
    }
    if (make_says(m, "sub_norms")) make_norm(w, m, l, "ffn_sub_norm", m->hidden);
}

static inline void make_ffn_norm(GgufWriter *w, const MakeModel *m, size_t l) {
    char name[96];
    if (make_says(m, "after") || make_says(m, "no_norms") || make_says(m, "one_norm") ||
        make_says(m, "moved_norm") || make_says(m, "output_norm") || make_says(m, "single") ||
        make_says(m, "no_gains"))
        return;
    if (make_says(m, "bare_norm"))
        make_vector(w, m, block_tensor_name(name, sizeof name, l, "ffn_norm", NULL), m->dim, 1);
    else
        make_norm(w, m, l, "ffn_norm", m->dim);
}

static inline void make_block(GgufWriter *w, const MakeModel *m, size_t l) {
    bool moved = make_says(m, "moved_norm");
    int parts = make_parts(m, l);
    bool none = make_says(m, "no_norms") || make_says(m, "after") || make_says(m, "no_gains") ||
                (make_says(m, "bare_first") && l == 0);
    make_draft(w, m, l);
    bool alone = make_says(m, "optional") && !(parts & MAKE_ATTENTION) && !make_is_map(m, l);
    if (!none && !alone) make_norm(w, m, l, "attn_norm", m->dim);
    if (make_is_map(m, l)) make_linear(w, m, l, "attn_output", m->dim, m->dim, 1);
    if (make_says(m, "after") || make_says(m, "output_norm") || make_says(m, "output_norms"))
        make_norm(w, m, l, "attn_output_norm", m->dim);
    if (make_says(m, "after") || make_says(m, "output_norms"))
        make_norm(w, m, l, "layer_output_norm", m->dim);
    if (make_says(m, "two_norms") || make_says(m, "guesses"))
        make_norm(w, m, l, "attn_norm_2", m->dim);
    if (parts & MAKE_STATES && make_says(m, "short_conv")) make_short_conv(w, m, l);
    if (parts & MAKE_STATES && make_says(m, "ssm")) make_ssm(w, m, l);
    if (parts & MAKE_STATES && make_says(m, "delta")) make_delta(w, m, l);
    if (parts & MAKE_STATES && make_says(m, "kda")) make_kda(w, m, l);
    if (make_says(m, "rwkv") == 6)
        make_rwkv6(w, m, l);
    else if (make_says(m, "rwkv"))
        make_rwkv(w, m, l);
    if (parts & MAKE_ATTENTION && make_says(m, "latents"))
        make_latents(w, m, l);
    else if (parts & MAKE_ATTENTION)
        make_attention(w, m, l);
    if (!(parts & MAKE_NETWORK)) return;
    if (make_says(m, "post_norms") || moved) make_norm(w, m, l, "post_attention_norm", m->dim);
    if (make_says(m, "post_norms")) make_norm(w, m, l, "post_ffw_norm", m->dim);
    make_ffn_norm(w, m, l);
    make_feed_forward(w, m, l);
    make_beside(w, m, l);
}

/* What a whole text becomes: its vector, its scores. */
static inline void make_text_head(GgufWriter *w, const MakeModel *m) {
    size_t labels = make_size(m, "scores", 0);
    bool alone = make_says(m, "scores_alone");
    if (make_says(m, "dense")) {
        make_matrix(w, m, "dense_2.weight", 2 * m->dim, m->dim, 1);
        make_matrix(w, m, "dense_3.weight", m->dim, 2 * m->dim, 1);
    }
    if (!labels) return;
    if (make_says(m, "scores_hidden") || alone) {
        make_matrix(w, m, "cls.weight", alone ? labels : m->dim, m->dim, 1);
        make_vector(w, m, "cls.bias", alone ? labels : m->dim, 0);
    }
    if (make_says(m, "scores_norm")) make_norm_of(w, m, "cls.norm", 1, &m->dim);
    if (alone) return;
    make_matrix(w, m, "cls.output.weight", labels, m->dim, 1);
    make_vector(w, m, "cls.output.bias", labels, 0);
}

static inline void make_ends(GgufWriter *w, const MakeModel *m) {
    size_t places[2] = {m->ctx, m->dim},
           pairs = m->head_dim / (make_says(m, "partial") ? 4 : 2);
    bool borrows = make_says(m, "borrows");
    if (!borrows && !make_says(m, "no_embedding"))
        make_matrix(w, m, "token_embd.weight", MAKE_VOCAB, m->dim, 4);
    if (make_says(m, "guesses")) make_draft_head(w, m);
    if (make_says(m, "assists")) make_assistant(w, m);
    if (make_says(m, "positions"))
        make_tensor(w, m, "position_embd.weight", 2, places, 0, 0.3, DTYPE_F32);
    if (make_says(m, "embedding_norm")) make_norm_of(w, m, "token_embd_norm", 1, &m->dim);
    if (make_says(m, "rope_freqs"))
        make_tensor(w, m, "rope_freqs.weight", 1, &pairs, 3, 0.5, DTYPE_F32);
    if (make_says(m, "long_rope")) {
        make_tensor(w, m, "rope_factors_long.weight", 1, &pairs, 3, 0.5, DTYPE_F32);
        make_tensor(w, m, "rope_factors_short.weight", 1, &pairs, 1.3, 0.2, DTYPE_F32);
    }
    make_beside_ends(w, m);
    if (make_says(m, "types"))
        make_tensor(w, m, "token_types.weight", 2, (size_t[]){2, m->dim}, 0, 0.3, DTYPE_F32);
    bool source = make_says(m, "source") && !make_says(m, "encoder");
    if (source) make_norm_of(w, m, "enc.output_norm", 1, &m->dim);
    if (!make_says(m, "after") && !make_says(m, "no_gains"))
        make_norm_of(w, m,
                     source                     ? "dec.output_norm"
                     : make_says(m, "end_norm") ? "token_embd_norm"
                     : make_says(m, "enc_norm") ? "enc.output_norm"
                                                : "output_norm",
                     1, &m->dim);
    make_text_head(w, m);
    if (!make_says(m, "tied") && !make_says(m, "encoder") && !borrows)
        make_matrix(w, m, "output.weight", make_size(m, "few", MAKE_VOCAB), m->dim, 2);
    if (make_says(m, "head_bias")) make_vector(w, m, "output.bias", MAKE_VOCAB, 0);
}

static inline void make_text_parts(GgufWriter *w, const MakeModel *m) {
    make_keys(w, m);
    if (make_says(m, "wordpiece"))
        make_wordpiece(w);
    else
        make_tokenizer(w, m);
    if (make_says(m, "rerank_template"))
        gguf_put_string(w, "tokenizer.chat_template.rerank",
                        text_of("<|im_start|>{query}/{document}<|im_end|>"));
    make_ends(w, m);
    if (make_says(m, "source")) make_source_blocks(w, m);
    for (size_t l = 0; l < m->layers && !make_says(m, "source"); l++) make_block(w, m, l);
}

/* Gemma 4 without inputs of layers, which look tokens up. */
#define GEMMA4                                                                           \
    "=tied post_norms small_gains window:6 windows_listed window_heads keys_as_values "  \
    "rope_freqs layers:7 end_scale beside experts:6 split:2 experts_every:2 expert_key " \
    "embedding_length_per_layer_input=0 attention.shared_kv_layers=0"

/* The file; the caller frees *bytes. */
static inline unsigned char *make_model(const MakeModel *m, size_t *size) {
    Fault fault;
    unsigned char *bytes;
    GgufWriter *w = gguf_writer_open(&fault);
    if (make_says(m, "sees"))
        make_eye(w, m);
    else
        make_text_parts(w, m);
    bool ok = gguf_write_memory(w, &bytes, size, &fault);
    gguf_writer_close(w);
    return ok ? bytes : NULL;
}

#endif
