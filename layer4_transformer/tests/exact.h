/* exact.h - attention of one query in double precision, with every field of AttentionShape. */
#ifndef STRATA_EXACT_H
#define STRATA_EXACT_H

#include "check.h"
#include "transformer.h"

enum { EXACT_LENGTH = 300 /* max positions */ };

/* A query: which head, where it is, what it may see. */
typedef struct ExactQuery {
    size_t head, position;
    Range seen;
    const uint64_t *chosen; /* the row's words, or NULL */
} ExactQuery;

static inline double exact_score(const AttentionShape *s, const ExactQuery *at, size_t j,
                                 const double *q, const double *k) {
    const size_t hd = s->head_dim, group = at->head / (s->heads / s->kv_heads);
    double score = 0;
    if (at->chosen && !(at->chosen[j / 64] >> j % 64 & 1)) return -INFINITY;
    for (size_t i = 0; i < hd; i++)
        score += q[at->head * hd + i] * k[(j * s->kv_heads + group) * hd + i];
    score *= (double)s->scale;
    if (s->softcap > 0) score = (double)s->softcap * tanh(score / (double)s->softcap);
    if (s->max_bias > 0)
        score -= (double)alibi_slope(at->head, s->heads, s->max_bias) *
                 fabs((double)at->position - (double)j);
    if (s->relative) {
        double far = fmax(-RELATIVE_FAR, fmin(RELATIVE_FAR, (double)j - (double)at->position));
        size_t bucket = s->relative->bucket[(size_t)(far + RELATIVE_FAR)];
        score += (double)s->relative->table[bucket * s->heads + at->head];
    }
    return score;
}

/* out (value_dim) = one head of the query whose row is q (heads * head_dim). */
static inline void exact_head(const AttentionShape *s, const ExactQuery *at, const double *q,
                              const double *k, const double *v, double *out) {
    size_t vd = attention_value_dim(s), group = at->head / (s->heads / s->kv_heads);
    double p[EXACT_LENGTH], max = s->sinks ? (double)s->sinks[at->head] : -INFINITY, sum = 0;
    for (size_t j = at->seen.begin; j < at->seen.end; j++)
        max = fmax(max, p[j] = exact_score(s, at, j, q, k));
    if (s->sinks) sum = exp((double)s->sinks[at->head] - max);
    for (size_t j = at->seen.begin; j < at->seen.end; j++) sum += p[j] = exp(p[j] - max);
    for (size_t i = 0; i < vd; i++) {
        out[i] = 0;
        for (size_t j = at->seen.begin; j < at->seen.end; j++)
            out[i] += p[j] / sum * v[(j * s->kv_heads + group) * vd + i];
    }
}

static inline double *exact_copy(const float *x, size_t n) {
    double *d = malloc(n * sizeof *d);
    for (size_t i = 0; i < n; i++) d[i] = (double)x[i];
    return d;
}

#endif
