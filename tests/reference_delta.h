/* reference_delta.h - the delta rule of one token after the other, in double precision. */
#ifndef STRATA_REFERENCE_DELTA_H
#define STRATA_REFERENCE_DELTA_H

#include "reference_mamba.h"

typedef struct ReferenceDelta {
    int d, keys, heads, channels, taps;
    bool each; /* numbers of a key are forgotten by themselves */
} ReferenceDelta;

static inline ReferenceDelta reference_delta_sizes(const Reference *r, int l) {
    int each = reference_size(r, "kda.head_dim", l, 0),
        all = reference_size(r, "attention.head_count", l, 0);
    ReferenceDelta z = {.d = each ? each : reference_size(r, "ssm.state_size", l, 0),
                        .keys = each ? all : reference_size(r, "ssm.group_count", l, 0),
                        .heads = each ? all : reference_size(r, "ssm.time_step_rank", l, 0),
                        .taps = reference_size(r, "ssm.conv_kernel", l, 0),
                        .each = each > 0};
    z.channels = (2 * z.keys + z.heads) * z.d;
    return z;
}

/* [q | k | v] of a token, convolved with those before it. */
static inline void reference_delta_qkv(const Reference *r, const ReferenceDelta *z, int l,
                                       int position, const double *in, double *inputs,
                                       double *qkv) {
    static const char *const parts[] = {"q", "k", "v"};
    double w[REFERENCE_WIDEST], *row = inputs + position * z->channels;
    int wide = z->keys * z->d;
    char name[40];
    if (!z->each) {
        reference_rows(r, l, "attn_qkv", 0, z->channels, in, row);
        memcpy(w, reference_weight(r, l, "ssm_conv1d"),
               sizeof *w * (size_t)(z->channels * z->taps));
    }
    for (int i = 0; i < 3 && z->each; i++) {
        snprintf(name, sizeof name, "attn_%s", parts[i]);
        reference_rows(r, l, name, 0, wide, in, row + i * wide);
        snprintf(name, sizeof name, "ssm_conv1d_%s", parts[i]);
        memcpy(w + i * wide * z->taps, reference_weight(r, l, name),
               sizeof *w * (size_t)(wide * z->taps));
    }
    reference_convolve(w, NULL, z->taps, z->channels, position, inputs, qkv);
    for (int i = 0; i < z->channels; i++) qkv[i] = reference_silu(qkv[i]);
    double eps = reference_number(r, "attention.layer_norm_rms_epsilon", 0);
    for (int h = 0; h < 2 * z->keys; h++) {
        double length = 0, *head = qkv + h * z->d;
        for (int i = 0; i < z->d; i++) length += head[i] * head[i];
        for (int i = 0; i < z->d; i++) head[i] /= fmax(sqrt(length), eps);
    }
}

/* beta (heads) and how much stays (heads, d) */
static inline void reference_delta_rates(const Reference *r, const ReferenceDelta *z, int l,
                                         const double *in, double *beta, double *stays) {
    double raw[REFERENCE_WIDEST], few[REFERENCE_WIDEST], both[REFERENCE_WIDEST];
    const double *a = reference_bare(r, l, "ssm_a"), *bias = reference_bias(r, l, "ssm_dt");
    int share = z->heads / z->keys;
    if (z->each) reference_rows(r, l, "ssm_f_a", 0, z->d, in, few);
    if (z->each) reference_rows(r, l, "ssm_f_b", 0, z->heads * z->d, few, raw);
    if (reference_weight(r, l, "ssm_ba")) {
        reference_rows(r, l, "ssm_ba", 0, 2 * z->heads, in, both);
        for (int h = 0; h < z->heads; h++) {
            beta[h] = both[h / share * 2 * share + h % share];
            raw[h] = both[h / share * 2 * share + share + h % share];
        }
    } else {
        reference_rows(r, l, "ssm_beta", 0, z->heads, in, beta);
        if (!z->each) reference_rows(r, l, "ssm_alpha", 0, z->heads, in, raw);
    }
    for (int h = 0; h < z->heads; h++) beta[h] = 1 / (1 + exp(-beta[h]));
    for (int i = 0; i < z->heads * z->d; i++) {
        int at = z->each ? i : i / z->d;
        stays[i] = exp(a[i / z->d] * reference_softplus(raw[at] + bias[at]));
    }
}

/* o (d): what a head answers; its memory (d, d) is corrected.  All is written out as the paper has it. */
static inline void reference_delta_head(double *state, int d, const double *stays, double beta,
                                        const double *q, const double *k, const double *v,
                                        double *o) {
    for (int j = 0; j < d; j++) {
        double said = 0, asked = 0, *row = state + j * d;
        for (int i = 0; i < d; i++) row[i] *= stays[i];
        for (int i = 0; i < d; i++) said += row[i] * k[i];
        for (int i = 0; i < d; i++) row[i] += beta * (v[j] - said) * k[i];
        for (int i = 0; i < d; i++) asked += row[i] * q[i];
        o[j] = asked / sqrt(d);
    }
}

/* y (dim) = the mixer of a token; the memory moves on. */
static inline void reference_delta(const Reference *r, const ReferenceLayer *s, int position,
                                   const double *in, ReferenceMemory *m, double *y) {
    ReferenceDelta z = reference_delta_sizes(r, s->l);
    double qkv[REFERENCE_WIDEST], beta[REFERENCE_WIDEST], stays[REFERENCE_WIDEST],
        o[REFERENCE_WIDEST], gate[REFERENCE_WIDEST], few[REFERENCE_WIDEST];
    reference_delta_qkv(r, &z, s->l, position, in, m->inputs, qkv);
    reference_delta_rates(r, &z, s->l, in, beta, stays);
    if (z.each) reference_rows(r, s->l, "ssm_g_a", 0, z.d, in, few);
    reference_rows(r, s->l, z.each ? "ssm_g_b" : "attn_gate", 0, z.heads * z.d,
                   z.each ? few : in, gate);
    for (int h = 0; h < z.heads; h++) {
        bool tiled = reference_says(r, "tiled") != 0;
        int key = tiled ? h % z.keys : h / (z.heads / z.keys);
        double *head = o + h * z.d;
        reference_delta_head(m->state + h * z.d * z.d, z.d, stays + h * z.d, beta[h],
                             qkv + key * z.d, qkv + (z.keys + key) * z.d,
                             qkv + (2 * z.keys + h) * z.d, head);
        reference_norm(r, s->l, "ssm_norm", head, z.d, head);
    }
    for (int i = 0; i < z.heads * z.d; i++)
        o[i] *= z.each ? 1 / (1 + exp(-gate[i])) : reference_silu(gate[i]);
    reference_rows(r, s->l, z.each ? "attn_output" : "ssm_out", 0, s->dim, o, y);
}

#endif
