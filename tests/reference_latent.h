/* reference_latent.h - keys and values by way of latents, in double precision: always computed for every
 * head, whichever way the file has the matrices. */
#ifndef STRATA_REFERENCE_LATENT_H
#define STRATA_REFERENCE_LATENT_H

#include "reference_mamba.h"

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

/* Halves of the first numbers of a head turn, whatever those of the others do. */
static inline void reference_turn_halves(const ReferenceLayer *s, int position, double *head) {
    for (int i = 0; i < s->turning / 2; i++) {
        double angle = position * s->frequency[i], re = head[i], im = head[i + s->turning / 2];
        head[i] = s->magnitude * (re * cos(angle) - im * sin(angle));
        head[i + s->turning / 2] = s->magnitude * (re * sin(angle) + im * cos(angle));
    }
}

/* score (position + 1) = how much each position is worth a look; keys (positions, width). */
static inline void reference_index(const Reference *r, const ReferenceLayer *s, int position,
                                   const double *x, const double *latent, double *keys,
                                   double *score) {
    int heads = reference_size(r, "attention.indexer.head_count", s->l, 0),
        width = reference_size(r, "attention.indexer.key_length", s->l, 0);
    double q[REFERENCE_WIDEST], weigh[64], *k = keys + position * width, mean = 0, square = 0;
    const double *gain = reference_weight(r, s->l, "indexer.k_norm"),
                 *bias = reference_bias(r, s->l, "indexer.k_norm");
    reference_rows(r, s->l, "indexer.attn_q_b", 0, heads * width, latent, q);
    reference_rows(r, s->l, "indexer.proj", 0, heads, x, weigh);
    reference_rows(r, s->l, "indexer.attn_k", 0, width, x, k);
    for (int i = 0; i < width; i++) mean += k[i] / width;
    for (int i = 0; i < width; i++) square += pow(k[i] - mean, 2) / width;
    for (int i = 0; i < width; i++)
        k[i] = (k[i] - mean) / sqrt(square + 1e-6) * gain[i] + bias[i];
    reference_turn_halves(s, position, k);
    memset(score, 0, sizeof *score * (size_t)(position + 1));
    for (int h = 0; h < heads; h++) {
        reference_turn_halves(s, position, q + h * width);
        for (int j = 0; j <= position; j++) {
            double dot = 0;
            for (int i = 0; i < width; i++) dot += q[h * width + i] * keys[j * width + i];
            score[j] += weigh[h] * fmax(dot, 0);
        }
    }
}

/* chosen (position + 1) = 1 for the best positions, of equal ones the first, and 0 for the others. */
static inline void reference_choose(const double *score, int n, int top, double *chosen) {
    for (int j = 0; j < n; j++) {
        int better = 0;
        for (int i = 0; i < n; i++)
            better += score[i] > score[j] || (score[i] == score[j] && i < j);
        chosen[j] = better < top;
    }
}

/* y (dim) = attention of a token; its keys and values go into k and v at its position. */
static inline void reference_latent(const Reference *r, const ReferenceLayer *layer,
                                    int position, const double *x, ReferenceMemory *m,
                                    double *y) {
    ReferenceLayer own = *layer, *s = &own;
    double *k = m->k, *v = m->v, score[REFERENCE_WIDEST], chosen[REFERENCE_WIDEST];
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
    if (reference_says(r, "indexer")) {
        reference_index(r, s, position, x, ql, m->index, score);
        reference_choose(score, position + 1,
                         reference_size(r, "attention.indexer.top_k", s->l, 0), chosen);
        s->chosen = chosen;
    }
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
