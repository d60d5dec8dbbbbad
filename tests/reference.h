/* reference.h - a whole language model in double precision, written as plainly as it can be, sharing
 * nothing with the layers but the file reader.
 *
 *     reference_file.h        what the file says
 *     reference_families.h    what a family does, in words
 *     reference_attention.h   attention of one token
 *     reference_latent.h      ... by way of latents
 *     reference_mamba.h       state-space layers, short convolutions
 *     reference_beside.h      parts of a stream, inputs of layers
 *     reference_delta.h       the delta rule
 *     reference_rwkv.h        RWKV 6, RWKV 7
 *     reference_source.h      an encoder, and blocks that write
 *     here                    networks, blocks, the model
 *     reference_draft.h       what a draft head says
 *     reference_text.h        vectors and scores of texts */
#ifndef STRATA_REFERENCE_H
#define STRATA_REFERENCE_H

#include "reference_latent.h"
#include "reference_delta.h"
#include "reference_beside.h"
#include "reference_rwkv.h"
#include "reference_source.h"

static inline void reference_open(Reference *r, const Gguf *gguf) {
    reference_load(r, gguf);
    r->family = reference_family(r->arch);
    REQUIRE(r->family, "the reference does not know the family %s", r->arch);
}

/* ------------------------------------------------------------------ networks */

static inline double reference_activate(const Reference *r, double x) {
    if (reference_says(r, "silu")) return x / (1 + exp(-x));
    if (reference_says(r, "relu2")) return x > 0 ? x * x : 0;
    if (reference_says(r, "relu")) return x > 0 ? x : 0;
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/* A curve of each layer. */
static inline double reference_xielu(const Reference *r, int l, double x) {
    static const char *const names[] = {"xielu.alpha_p", "xielu.alpha_n", "xielu.beta",
                                        "xielu.eps"};
    double c[4];
    for (int i = 0; i < 4; i++) gguf_float(gguf_find(r->gguf, names[i]), (uint64_t)l, &c[i]);
    double p = log1p(exp(c[0])), n = c[2] + log1p(exp(c[1]));
    return c[2] * x + (x > 0 ? p * x * x : n * (expm1(fmin(x, c[3])) - x));
}

/* Only what exceeds the mean of a row by so many deviations stays. */
static inline void reference_cut(const Reference *r, int l, double *x, int n) {
    double many = reference_number_of(r, "activation_sparsity_scale", l,
                                      l < reference_says(r, "cut") ? 1.6448533535003662 : -1),
           mean = 0, square = 0;
    if (reference_says(r, "cut") == 0 || many <= 0) return;
    for (int i = 0; i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean) / (n - 1);
    for (int i = 0; i < n; i++) x[i] = fmax(0, x[i] - mean - many * sqrt(square));
}

static inline double reference_gated(const Reference *r, double gate, double up) {
    if (!reference_says(r, "oai")) return reference_activate(r, gate) * up;
    gate = fmin(gate, 7), up = fmin(7, fmax(-7, up));
    return gate / (1 + exp(-1.702 * gate)) * (up + 1);
}

/* y (dim) = number `index` of a stack of networks; a network by itself is a stack of one. */
static inline void reference_network(const Reference *r, const ReferenceLayer *s,
                                     const char *suffix, int index, const double *x,
                                     double *y) {
    char gate[40], up[40], down[40];
    double a[REFERENCE_WIDEST], b[REFERENCE_WIDEST];
    snprintf(gate, sizeof gate, "ffn_gate%s", suffix),
        snprintf(up, sizeof up, "ffn_up%s", suffix);
    snprintf(down, sizeof down, "ffn_down%s", suffix);
    bool expert = strcmp(suffix, "_exps") == 0,
         joined = expert && reference_weight(r, s->l, "ffn_gate_up_exps");
    if (joined) snprintf(up, sizeof up, "ffn_gate_up_exps");
    const GgufTensor *t = reference_find(r, s->l, down, "weight"),
                     *wide = reference_find(r, s->l, up, "weight");
    int hidden = (int)t->shape[t->ndim - 1];
    double limit =
        reference_number_of(r, expert ? "swiglu_clamp_exp" : "swiglu_clamp_shexp", s->l, 0);
    bool own = reference_weight(r, s->l, gate),
         both = (int)wide->shape[wide->ndim - 2] == 2 * hidden; /* first gate, then up */
    if (own) reference_rows(r, s->l, gate, index * hidden, hidden, x, a);
    if (own) reference_cut(r, s->l, a, hidden);
    int first = (both ? 2 : 1) * index * hidden;
    if (both) reference_rows(r, s->l, up, first, hidden, x, a);
    if (joined) reference_cut(r, s->l, a, hidden);
    reference_rows(r, s->l, up, both ? first + hidden : first, hidden, x, b);
    for (int i = 0; i < hidden; i++)
        b[i] = (own || joined) && limit > 0
                   ? fmin(limit, reference_activate(r, a[i])) * fmin(limit, fmax(-limit, b[i]))
               : own || both                ? reference_gated(r, a[i], b[i])
               : reference_says(r, "xielu") ? reference_xielu(r, s->l, b[i])
                                            : reference_activate(r, b[i]);
    if (!*suffix) reference_norm(r, s->l, "ffn_sub_norm", b, hidden, b);
    int dim = (int)t->shape[t->ndim - 2];
    reference_rows(r, s->l, down, index * dim, dim, b, y);
}

static inline int reference_largest(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++) best = x[i] > x[best] ? i : best;
    return best;
}

/* 1: softmax over all, 2: sigmoid, 3: softmax over the chosen; as the file says, or the family. */
static inline int reference_scoring(const Reference *r) {
    int own = reference_says(r, "sigmoid") ? 2 : reference_says(r, "all") ? 1 : 3;
    return reference_size(r, "expert_gating_func", 0, own);
}

/* What the chosen experts weigh, from their scores and those of all. */
static inline void reference_weigh(const Reference *r, const double *all, int experts, int used,
                                   double *weight) {
    double sum = 0, chosen = 0, total = 0,
           scale = reference_number(r, "expert_weights_scale", 1);
    int how = reference_scoring(r);
    for (int e = 0; e < experts; e++) sum += exp(all[e]);
    for (int e = 0; e < used; e++) chosen += exp(weight[e]);
    for (int e = 0; e < used; e++)
        weight[e] =
            how == 2 ? 1 / (1 + exp(-weight[e])) : exp(weight[e]) / (how == 1 ? sum : chosen);
    for (int e = 0; e < used; e++) total += weight[e];
    bool renorm = reference_says(r, "renorm") || reference_number(r, "expert_weights_norm", 0);
    for (int e = 0; e < used; e++) weight[e] = weight[e] / (renorm ? total : 1) * scale;
}

/* y (dim) += weight * the answer of an expert, or the answer to weight * x. */
static inline void reference_add_expert(const Reference *r, const ReferenceLayer *s,
                                        const char *suffix, int index, double weight,
                                        const double *x, double *y) {
    double in[REFERENCE_WIDEST], out[REFERENCE_WIDEST];
    const double *scale = reference_bare(r, s->l, "ffn_down_exps.scale");
    const GgufTensor *t = reference_find(r, s->l, "ffn_down_exps", "weight");
    int dim = (int)t->shape[1];
    bool input = reference_says(r, "input") != 0;
    if (scale) weight *= scale[index];
    for (int i = 0; i < dim; i++) in[i] = input ? weight * x[i] : x[i];
    reference_network(r, s, suffix, index, in, out);
    for (int i = 0; i < dim; i++) y[i] += input ? out[i] : weight * out[i];
}

/* y (dim) += what the adjugate of a chosen expert's group says, scaled. */
static inline void reference_add_adjugate(const Reference *r, const ReferenceLayer *s,
                                          int index, double weight, const double *x,
                                          double *y) {
    double out[REFERENCE_WIDEST], scale = reference_number(r, "expert_group_scale", 0);
    int each = reference_size(r, "experts_per_group", s->l, 0);
    if (each == 0) return;
    reference_network(r, s, "_chexps", index / each, x, out);
    for (int i = 0; i < s->dim; i++) y[i] += scale * weight * out[i];
}

static inline void reference_add_shared(const Reference *r, const ReferenceLayer *s,
                                        const double *x, double *y) {
    double open = 1, out[REFERENCE_WIDEST];
    if (!reference_weight(r, s->l, "ffn_up_shexp")) return;
    if (reference_weight(r, s->l, "ffn_gate_inp_shexp")) {
        reference_rows(r, s->l, "ffn_gate_inp_shexp", 0, 1, x, &open);
        open = 1 / (1 + exp(-open));
    }
    reference_network(r, s, "_shexp", 0, x, out);
    for (int i = 0; i < s->dim; i++) y[i] += open * out[i];
}

/* Experts of all groups but the best cannot be chosen; a group is as good as its best two. */
static inline void reference_leave_groups(const Reference *r, int experts, double *choice) {
    int groups = reference_size(r, "expert_group_count", 0, 1),
        used = reference_size(r, "expert_group_used_count", 0, groups), each = experts / groups;
    double score[64];
    bool kept[64] = {false};
    for (int g = 0; g < groups; g++) {
        double best = -INFINITY, second = -INFINITY;
        for (int e = g * each; e < (g + 1) * each; e++)
            if (choice[e] > best)
                second = best, best = choice[e];
            else if (choice[e] > second)
                second = choice[e];
        score[g] = best + second;
    }
    for (int i = 0; i < used; i++) {
        int best = reference_largest(score, groups);
        kept[best] = true, score[best] = -INFINITY;
    }
    for (int e = 0; e < experts && used < groups; e++)
        if (!kept[e / each]) choice[e] = -INFINITY;
}

/* By what they are chosen: the scores, or, where there is a bias on the choice, what they weigh with it. */
static inline void reference_choice(const Reference *r, const ReferenceLayer *s,
                                    const double *all, int experts, double *choice) {
    const double *bias = reference_bias(r, s->l, "exp_probs_b");
    double sum = 0;
    for (int e = 0; e < experts; e++) sum += exp(all[e]);
    for (int e = 0; e < experts; e++) {
        int how = reference_scoring(r);
        double p = how == 3 ? all[e] : how == 2 ? 1 / (1 + exp(-all[e])) : exp(all[e]) / sum;
        choice[e] = bias ? p + bias[e] : all[e];
    }
    reference_leave_groups(r, experts, choice);
}

/* all (experts) = the router's scores; it may have a norm of its own. */
static inline void reference_route(const Reference *r, const ReferenceLayer *s, int experts,
                                   const double *x, double *all) {
    const double *gain = reference_bare(r, s->l, "ffn_gate_inp.scale");
    double in[REFERENCE_WIDEST];
    memcpy(in, x, sizeof *x * (size_t)s->dim);
    if (gain) reference_normalize(r, "rms", x, s->dim, in);
    for (int i = 0; i < s->dim && gain; i++) in[i] *= gain[i];
    reference_rows(r, s->l, "ffn_gate_inp", 0, experts, in, all);
    for (int e = 0; e < experts && gain; e++) all[e] /= sqrt(s->dim);
    double cap = reference_number(r, "router_logit_softcapping", 0);
    for (int e = 0; e < experts && cap > 0; e++) all[e] = cap * tanh(all[e] / cap);
}

/* y (dim) = the feed-forward of a token: one network, or some of many, chosen by `seen`. */
static inline void reference_feed_by(const Reference *r, const ReferenceLayer *s,
                                     const double *seen, const double *x, double *y) {
    double in[REFERENCE_WIDEST], sum[REFERENCE_WIDEST] = {0};
    int experts = reference_size(r, "expert_count", s->l, 0),
        used = reference_size(r, "expert_used_count", s->l, 0), chosen[64];
    double all[512], left[512], weight[64];
    if (!reference_weight(r, s->l, "ffn_gate_inp")) {
        reference_network(r, s, "", 0, x, y);
        return;
    }
    reference_route(r, s, experts, seen, all);
    reference_choice(r, s, all, experts, left);
    for (int e = 0; e < used; e++) {
        chosen[e] = reference_largest(left, experts);
        weight[e] = all[chosen[e]], left[chosen[e]] = -INFINITY;
    }
    reference_weigh(r, all, experts, used, weight);
    reference_norm(r, s->l, "pre_ffw_norm_2", x, s->dim, in);
    const GgufTensor *few = reference_find(r, s->l, "ffn_latent_down", "weight");
    if (few) reference_rows(r, s->l, "ffn_latent_down", 0, (int)few->shape[0], x, in);
    for (int e = 0; e < used; e++)
        reference_add_expert(r, s, "_exps", chosen[e], weight[e], in, sum),
            reference_add_adjugate(r, s, chosen[e], weight[e], x, sum);
    memcpy(y, sum, sizeof *y * (size_t)s->dim);
    if (few) reference_rows(r, s->l, "ffn_latent_up", 0, s->dim, sum, y);
    reference_add_shared(r, s, x, y);
}

static inline void reference_feed_forward(const Reference *r, const ReferenceLayer *s,
                                          const double *x, double *y) {
    reference_feed_by(r, s, x, x, y);
}

/* y (dim) = a network's answer to the normed x, and that of experts to x itself. */
static inline void reference_both(const Reference *r, const ReferenceLayer *s, const double *in,
                                  const double *x, double *y) {
    double experts[REFERENCE_WIDEST];
    reference_network(r, s, "", 0, in, y);
    reference_norm(r, s->l, "post_ffw_norm_1", y, s->dim, y);
    reference_feed_forward(r, s, x, experts);
    reference_norm(r, s->l, "post_ffw_norm_2", experts, s->dim, experts);
    for (int i = 0; i < s->dim; i++) y[i] += experts[i];
}

/* ------------------------------------------------------------------ blocks */

static inline bool reference_is_parallel(const Reference *r, int l) {
    if (reference_says(r, "parallel?"))
        return !reference_weight(r, l, "ffn_norm") ||
               reference_number(r, "use_parallel_residual", 0) != 0;
    return reference_says(r, "parallel") != 0;
}

/* x += residual_scale * the norm of that name of a branch */
static inline void reference_add(const Reference *r, const ReferenceLayer *s, const char *norm,
                                 double *branch, double *x) {
    bool minicpm = reference_says(r, "minicpm") || reference_says(r, "minicpm3");
    double layers = reference_number(r, "block_count", 1),
           scale = reference_number(r, "residual_scale", minicpm ? 1.4 / sqrt(layers) : 1);
    if (norm) reference_norm(r, s->l, norm, branch, s->dim, branch);
    for (int i = 0; i < s->dim; i++) x[i] += scale * branch[i];
}

/* y (dim) = what the mixers of block l say to a token: attention, states, or both. */
static inline void reference_mix(const Reference *r, const ReferenceLayer *s, int position,
                                 const double *in, ReferenceMemory *m, double *y) {
    double states[REFERENCE_WIDEST];
    bool attends = reference_weight(r, s->l, "attn_q") || reference_weight(r, s->l, "attn_qkv"),
         delta = reference_weight(r, s->l, "ssm_ba") || reference_weight(r, s->l, "ssm_beta");
    memset(y, 0, sizeof *y * (size_t)s->dim);
    if (reference_is_latent(r, s->l))
        reference_latent(r, s, position, in, m, y);
    else if (attends && !delta)
        reference_attention(r, s, position, in, m->k, m->v, y);
    else if (!attends && reference_weight(r, s->l, "attn_output")) /* a map in its place */
        reference_rows(r, s->l, "attn_output", 0, s->dim, in, y);
    if (reference_weight(r, s->l, "ssm_ba") || reference_weight(r, s->l, "ssm_beta"))
        reference_delta(r, s, position, in, m, states);
    else if (reference_weight(r, s->l, "ssm_in"))
        reference_mix_states(r, s, position, in, m, states);
    else if (reference_weight(r, s->l, "shortconv.conv"))
        reference_short_conv(r, s, position, in, m, states);
    else
        return;
    for (int i = 0; i < s->dim; i++) y[i] += states[i];
}

/* One token (dim) through block l, whose norms stand behind the branches. */
static inline void reference_token_after(const Reference *r, const ReferenceLayer *s,
                                         int position, ReferenceMemory *m, double *x) {
    double in[REFERENCE_WIDEST], branch[REFERENCE_WIDEST];
    memcpy(in, x, sizeof *x * (size_t)s->dim);
    reference_mix(r, s, position, in, m, branch);
    reference_add(r, s, NULL, branch, x);
    reference_norm(r, s->l, "attn_output_norm", x, s->dim, x);
    if (reference_weight(r, s->l, "attn_norm_2")) {
        reference_add(r, s, NULL, in, x);
        reference_norm(r, s->l, "attn_norm_2", x, s->dim, x);
    }
    reference_feed_forward(r, s, x, branch);
    reference_add(r, s, NULL, branch, x);
    reference_norm(r, s->l, "layer_output_norm", x, s->dim, x);
}

/* One token (dim) through block l, whose experts read what came in. */
static inline void reference_token_ahead(const Reference *r, const ReferenceLayer *s,
                                         int position, ReferenceMemory *m, double *x) {
    double early[REFERENCE_WIDEST], in[REFERENCE_WIDEST], branch[REFERENCE_WIDEST];
    reference_norm(r, s->l, "ffn_norm_exps", x, s->dim, early);
    reference_norm(r, s->l, "attn_norm", x, s->dim, in);
    reference_mix(r, s, position, in, m, branch);
    reference_add(r, s, NULL, branch, x);
    reference_norm(r, s->l, "ffn_norm", x, s->dim, in);
    reference_network(r, s, "", 0, in, branch);
    reference_add(r, s, NULL, branch, x);
    reference_feed_forward(r, s, early, branch);
    reference_add(r, s, NULL, branch, x);
}

/* One token (dim) through block l. */
static inline void reference_token(const Reference *r, const ReferenceLayer *s, int position,
                                   ReferenceMemory *m, double *x) {
    double h[REFERENCE_WIDEST], in[REFERENCE_WIDEST], attn[REFERENCE_WIDEST],
        ffn[REFERENCE_WIDEST], came[REFERENCE_WIDEST];
    memcpy(came, x, sizeof *x * (size_t)s->dim);
    if (reference_says(r, "after")) {
        reference_token_after(r, s, position, m, x);
        return;
    }
    if (reference_weight(r, s->l, "ffn_norm_exps")) {
        reference_token_ahead(r, s, position, m, x);
        return;
    }
    bool parallel = reference_is_parallel(r, s->l), moved = reference_says(r, "moved") != 0,
         second = reference_weight(r, s->l, "attn_norm_2"); /* Falcon 40B: of attention */
    const char *norm = moved                              ? "post_attention_norm"
                       : reference_says(r, "output-norm") ? "attn_output_norm"
                                                          : "ffn_norm";
    bool one = parallel || reference_says(r, "single");
    if (one && !reference_weight(r, s->l, norm)) norm = "attn_norm";
    reference_norm(r, s->l, second ? "attn_norm_2" : "attn_norm", x, s->dim, h);
    reference_mix(r, s, position, h, m, attn);
    reference_norm(r, s->l, norm, x, s->dim, in); /* in parallel, of the x that came in */
    bool ends = reference_says(r, "output-norms") != 0;
    reference_add(r, s,
                  moved  ? NULL
                  : ends ? "attn_output_norm"
                         : "post_attention_norm",
                  attn, x);
    reference_laurel(r, s, h, x);
    if (!reference_weight(r, s->l, "ffn_down") && !reference_weight(r, s->l, "ffn_gate_inp"))
        return;
    if (!parallel) reference_norm(r, s->l, norm, x, s->dim, in);
    if (reference_weight(r, s->l, "post_ffw_norm_1"))
        reference_both(r, s, in, x, ffn);
    else
        reference_feed_by(r, s, reference_says(r, "chosen-ahead") ? came : in, in, ffn);
    reference_add(r, s, ends ? "layer_output_norm" : "post_ffw_norm", ffn, x);
}

/* Keys and values of all tokens, before any of them is seen: what else comes out is dropped. */
static inline void reference_look_ahead(const Reference *r, ReferenceLayer *s, int n,
                                        ReferenceMemory *m, const double *x) {
    double dropped[REFERENCE_WIDEST];
    for (int t = 0; t < n; t++) {
        memcpy(dropped, x + t * s->dim, sizeof *x * (size_t)s->dim);
        reference_token(r, s, t, m, dropped);
    }
    s->tokens = n;
}

/* x (streams, dim) of a token through block l: the block itself, and what is beside it. */
static inline void reference_pass(const Reference *r, const ReferenceLayer *s, int position,
                                  const double *input, ReferenceMemory *m, double *x) {
    double predicted[REFERENCE_WIDEST];
    bool parts = reference_streams(r) > 1;
    if (parts) reference_foretell(r, s, x);
    memcpy(predicted, x, sizeof *x * (size_t)s->dim);
    reference_token(r, s, position, m, x);
    if (parts) reference_correct(r, s, predicted, x);
    reference_end_block(r, s, input, x);
}

/* x (n, dim) through the network of a block that has one instead of RWKV's channel mix. */
static inline void reference_distilled(const Reference *r, int l, int n, double *x) {
    const ReferenceLayer s = {.l = l, .dim = reference_size(r, "embedding_length", l, 0)};
    double in[REFERENCE_WIDEST], out[REFERENCE_WIDEST];
    for (double *row = x; row < x + n * s.dim; row += s.dim) {
        reference_norm(r, l, "ffn_norm", row, s.dim, in);
        reference_feed_forward(r, &s, in, out);
        for (int i = 0; i < s.dim; i++) row[i] += out[i];
    }
}

/* x (n, streams, dim) through block l; what it keeps stays in memory[l]. */
static inline void reference_block(const Reference *r, int l, int n, const double *inputs,
                                   ReferenceMemory *memory, double *x) {
    if (reference_is_rwkv(r, l)) {
        memory[l] = (ReferenceMemory){.k = NULL};
        reference_rwkv(r, l, n, x);
        if (reference_weight(r, l, "ffn_norm")) reference_distilled(r, l, n, x);
        return;
    }
    ReferenceLayer s = reference_layer(r, l);
    ReferenceSsm z = reference_ssm(r, l);
    reference_set_latent(r, &s);
    ReferenceDelta delta = reference_delta_sizes(r, l);
    int channels = z.channels + s.dim + delta.channels, streams = reference_streams(r),
        state = z.inner * z.n + delta.heads * delta.d * delta.d, width = reference_inputs(r),
        all = width * reference_size(r, "block_count", 0, 0),
        index = reference_size(r, "attention.indexer.key_length", l, 0);
    ReferenceMemory *m = &memory[l];
    *m = (ReferenceMemory){malloc(sizeof(double) * (size_t)(n * s.kv_heads * s.head_dim + 1)),
                           malloc(sizeof(double) * (size_t)(n * s.kv_heads * s.value_dim + 1)),
                           malloc(sizeof(double) * (size_t)(n * channels)),
                           calloc((size_t)state + 1, sizeof(double)),
                           malloc(sizeof(double) * (size_t)(n * index + 1))};
    ReferenceMemory used = *m;
    if (s.back) used.k = memory[l - s.back].k, used.v = memory[l - s.back].v;
    bool both = reference_says(r, "bidirectional");
    if (both || r->until) reference_look_ahead(r, &s, n, &used, x);
    const bool alone = reference_says(r, "groups-in-windows") && !s.window;
    if (!both) s.tokens = 0, s.until = alone ? NULL : r->until;
    for (int t = 0; t < n; t++)
        reference_pass(r, &s, t, inputs + t * all + l * width, &used, x + t * streams * s.dim);
    free(m->inputs), free(m->state), free(m->index);
}

/* ------------------------------------------------------------------ the model */

/* Part k of a lent row: what replaces the token, then what is added behind blocks 0, 1 ... (DeepStack). */
static inline int reference_deep(const Reference *r) {
    return reference_size(r, "n_deepstack_layers", 0, 0);
}

static inline const float *reference_lent(const Reference *r, int row, int k, int dim) {
    return r->lent + (row * (1 + reference_deep(r)) + k) * dim;
}

static inline void reference_add_lent(const Reference *r, const int32_t *tokens, int n, int l,
                                      int dim, double *x) {
    const int known = (int)reference_find(r, -1, reference_table(r), "weight")->shape[0];
    for (int t = 0; t < n && l < reference_deep(r); t++)
        for (int i = 0; i < dim && tokens[t] >= known; i++)
            x[t * dim + i] += (double)reference_lent(r, tokens[t] - known, 1 + l, dim)[i];
}

static inline void reference_embed(const Reference *r, int32_t token, int position, int dim,
                                   double *x) {
    int known = (int)reference_find(r, -1, reference_table(r), "weight")->shape[0];
    if (token >= known) {
        for (int i = 0; i < dim; i++) x[i] = reference_lent(r, token - known, 0, dim)[i];
        return;
    }
    const double *places = reference_weight(r, -1, "position_embd"),
                 *types = reference_weight(r, -1, "token_types"),
                 *rows = reference_weight(r, -1, reference_table(r)) + token * dim;
    double own = reference_says(r, "minicpm") || reference_says(r, "minicpm3") ? 12
                 : reference_says(r, "grok")                                   ? sqrt(6144)
                                                                               : 1,
           scale = reference_says(r, "sqrt") ? sqrt(dim)
                                             : reference_number(r, "embedding_scale", own);
    for (int i = 0; i < dim; i++)
        x[i] = rows[i] * scale + (places ? places[position * dim + i] : 0);
    bool second = r->second && position >= r->second;
    for (int i = 0; i < dim && types; i++) x[i] += types[second * dim + i];
    if (!reference_says(r, "norm-at-end")) reference_norm(r, -1, "token_embd_norm", x, dim, x);
}

static inline void reference_unembed(const Reference *r, const double *x, int dim, int vocab,
                                     double *logits) {
    const char *head = reference_weight(r, -1, "output") ? "output" : "token_embd";
    double h[REFERENCE_WIDEST],
        scale = reference_number(r, "logit_scale",
                                 reference_says(r, "minicpm3") ? 256.0 / dim
                                 : reference_says(r, "grok")   ? sqrt(1.0 / 3)
                                                               : 1),
        cap = reference_key_or_word(r, "final_logit_softcapping", "logit-cap");
    reference_norm(r, -1, reference_says(r, "norm-at-end") ? "token_embd_norm" : "output_norm",
                   x, dim, h);
    reference_rows(r, -1, head, 0, vocab, h, logits); /* with output.bias, if there is one */
    for (int i = 0; i < vocab; i++) {
        logits[i] = reference_says(r, "divide") ? logits[i] / scale : logits[i] * scale;
        if (cap > 0) logits[i] = cap * tanh(logits[i] / cap);
    }
}

/* What comes out of the first blocks for a text (n, dim), and their keys and values in memory (layers); the caller frees
 * all. */
static inline double *reference_stream_kept(const Reference *r, int layers,
                                            const int32_t *tokens, int n,
                                            ReferenceMemory *memory) {
    int dim = reference_size(r, "embedding_length", 0, 0), wide = reference_streams(r) * dim,
        all = reference_inputs(r) * layers;
    double *x = malloc(sizeof *x * (size_t)(n * wide)),
           *inputs = malloc(sizeof *x * (size_t)(n * all + 1));
    for (int t = 0; t < n; t++) {
        reference_embed(r, tokens[t], t, dim, x + t * wide);
        reference_make_inputs(r, tokens[t], x + t * wide, dim, inputs + t * all);
        reference_spread(r, dim, x + t * wide);
    }
    for (int l = 0; l < layers; l++) {
        reference_block(r, l, n, inputs, memory, x);
        reference_add_lent(r, tokens, n, l, dim, x);
    }
    for (int t = 0; t < n; t++) {
        reference_gather(r, dim, x + t * wide);
        memmove(x + t * dim, x + t * wide, sizeof *x * (size_t)dim);
    }
    free(inputs);
    return x;
}

/* What comes out of the first blocks for a text (n, dim); the caller frees it. */
static inline double *reference_stream_to(const Reference *r, int layers, const int32_t *tokens,
                                          int n) {
    ReferenceMemory *memory = malloc(sizeof *memory * (size_t)layers);
    double *x = reference_stream_kept(r, layers, tokens, n, memory);
    for (int l = 0; l < layers; l++) free(memory[l].k), free(memory[l].v);
    free(memory);
    return x;
}

/* The same of all blocks. */
static inline double *reference_stream(const Reference *r, const int32_t *tokens, int n) {
    return reference_stream_to(r, reference_layers(r), tokens, n);
}

/* logits (n, vocab) of a text */
static inline void reference_logits(const Reference *r, const int32_t *tokens, int n,
                                    double *logits) {
    int dim = reference_size(r, "embedding_length", 0, 0),
        vocab = (int)reference_find(r, -1, reference_table(r), "weight")->shape[0];
    if (reference_says(r, "source")) {
        reference_answer(r, tokens, n, logits);
        return;
    }
    double *x = reference_stream(r, tokens, n);
    for (int t = 0; t < n; t++)
        reference_unembed(r, x + t * dim, dim, vocab, logits + (size_t)t * (size_t)vocab);
    free(x);
}

#endif
