/* reference_latent.h - keys and values by way of latents, in double precision: always computed for every
 * head, whichever way the file has the matrices. */
#ifndef STRATA_REFERENCE_LATENT_H
#define STRATA_REFERENCE_LATENT_H

#include "reference_attention.h"

static inline bool reference_is_latent(const Reference *r, int l) {
    return reference_weight(r, l, "attn_kv_a_mqa");
}

/* Sizes as if each head had keys and values of its own. */
static inline void reference_set_latent(const Reference *r, ReferenceLayer *s) {
    double grown = log(reference_number(r, "rope.scaling.factor", 1)),
           by = reference_number(r, "rope.scaling.yarn_log_multiplier", 0),
           m = 1 + (by > 0 ? by : 0.1) * grown;
    if (!reference_is_latent(r, s->l)) return;
    s->kv_heads = s->heads;
    s->head_dim = reference_size(r, "attention.key_length_mla", s->l, s->head_dim);
    s->value_dim = reference_size(r, "attention.value_length_mla", s->l, s->value_dim);
    s->scale = 1 / sqrt(s->head_dim);
    if (reference_text_is(r, "rope.scaling.type", "yarn")) s->scale *= m * m;
}

/* Numbers of a head's key without a place, from the latent c: column by column of K, or rows of kv_b. */
static inline void reference_latent_key(const Reference *r, const ReferenceLayer *s, int head,
                                        int rank, const double *c, double *k) {
    int plain = s->head_dim - s->turning;
    if (!reference_weight(r, s->l, "attn_k_b")) {
        reference_rows(r, s->l, "attn_kv_b", head * (plain + s->value_dim), plain, c, k);
        return;
    }
    const double *w = reference_weight(r, s->l, "attn_k_b") + head * rank * plain;
    for (int i = 0; i < plain; i++) {
        k[i] = 0;
        for (int j = 0; j < rank; j++) k[i] += w[j * plain + i] * c[j];
    }
}

static inline void reference_latent_value(const Reference *r, const ReferenceLayer *s, int head,
                                          const double *c, double *v) {
    int plain = s->head_dim - s->turning, width = plain + s->value_dim;
    if (reference_weight(r, s->l, "attn_v_b"))
        reference_rows(r, s->l, "attn_v_b", head * s->value_dim, s->value_dim, c, v);
    else
        reference_rows(r, s->l, "attn_kv_b", head * width + plain, s->value_dim, c, v);
}

/* y (dim) = attention of a token; its keys and values go into k and v at its position. */
static inline void reference_latent(const Reference *r, const ReferenceLayer *s, int position,
                                    const double *x, double *k, double *v, double *y) {
    double c[REFERENCE_WIDEST], ql[REFERENCE_WIDEST], q[REFERENCE_WIDEST],
        mixed[REFERENCE_WIDEST];
    int rank = reference_size(r, "attention.kv_lora_rank", s->l, 0),
        q_rank = reference_size(r, "attention.q_lora_rank", s->l, 0), hd = s->head_dim,
        plain = hd - s->turning;
    double warmth = reference_warmth(r, s, position);
    reference_rows(r, s->l, "attn_kv_a_mqa", 0, rank + s->turning, x, c);
    reference_norm(r, s->l, "attn_kv_a_norm", c, rank, c);
    if (s->turns) reference_turn(r, s, position, c + rank);
    if (q_rank) reference_rows(r, s->l, "attn_q_a", 0, q_rank, x, ql);
    if (q_rank) reference_norm(r, s->l, "attn_q_a_norm", ql, q_rank, ql);
    reference_rows(r, s->l, q_rank ? "attn_q_b" : "attn_q", 0, s->heads * hd, q_rank ? ql : x,
                   q);
    for (int h = 0; h < s->heads; h++) {
        double *key = k + (position * s->heads + h) * hd;
        if (s->turns) reference_turn(r, s, position, q + h * hd + plain);
        reference_latent_key(r, s, h, rank, c, key);
        memcpy(key + plain, c + rank, sizeof *c * (size_t)s->turning);
        reference_latent_value(r, s, h, c, v + (position * s->heads + h) * s->value_dim);
    }
    for (int i = 0; i < s->heads * hd; i++) q[i] *= warmth;
    for (int h = 0; h < s->heads; h++)
        reference_head(r, s, h, position, q, k, v, mixed + h * s->value_dim);
    reference_rows(r, s->l, "attn_output", 0, s->dim, mixed, y);
}

#endif
