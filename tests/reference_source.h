/* reference_source.h - an encoder, and blocks that write with a look at what it read, in double precision.
 *
 * One text at a time, all of its rows at once; a row is a token. */
#ifndef STRATA_REFERENCE_SOURCE_H
#define STRATA_REFERENCE_SOURCE_H

#include "reference_attention.h"

/* A text's rows, and what a tensor of one of its blocks is called. */
typedef struct ReferenceText {
    const Reference *r;
    const char *side; /* "enc" or "dec" */
    int n, dim, heads, head_dim;
    double *x; /* (n, dim) */
} ReferenceText;

static inline const char *reference_side(const ReferenceText *t, int l, const char *what) {
    static char name[96];
    snprintf(name, sizeof name, "%s.blk.%d.%s", t->side, l, what);
    return name;
}

/* Of T5's paper, as its authors' program has it: a bucket for a key so many tokens behind the query. */
static inline int reference_bucket(int away, int buckets, bool both) {
    int bucket = 0, n = both ? abs(away) : away > 0 ? 0 : -away;
    if (both) buckets /= 2;
    if (both && away > 0) bucket = buckets;
    int exact = buckets / 2;
    if (n < exact) return bucket + n;
    int far = exact + (int)(log((double)n / exact) * (buckets - exact) / log(128.0 / exact));
    return bucket + (far < buckets - 1 ? far : buckets - 1);
}

/* What is added to the score of head h; the first block's table serves those without one. */
static inline double reference_distance(const ReferenceText *t, int l, int h, int away) {
    const double *table = reference_weight(t->r, -1, reference_side(t, l, "attn_rel_b"));
    int buckets = reference_size(t->r, "attention.relative_buckets_count", 0, 0);
    if (!table) table = reference_weight(t->r, -1, reference_side(t, 0, "attn_rel_b"));
    return table[reference_bucket(away, buckets, *t->side == 'e') * t->heads + h];
}

/* All rows of x (n, dim) through a map, into y (n, width). */
static inline void reference_map(const ReferenceText *t, int l, const char *what,
                                 const double *x, int n, int in, int width, double *y) {
    for (int i = 0; i < n; i++)
        reference_rows(t->r, -1, reference_side(t, l, what), 0, width, x + i * in,
                       y + i * width);
}

/* mixed (head_dim) = what head h of a query takes of n keys and values; cross: of another text. */
static inline void reference_look(const ReferenceText *t, int l, bool cross, int i, int h,
                                  const double *q, const double *k, const double *v, int n,
                                  double *mixed) {
    int width = t->heads * t->head_dim, at = h * t->head_dim;
    double *weight = malloc(sizeof *weight * (size_t)n), most = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++) {
        weight[j] = cross ? 0 : reference_distance(t, l, h, j - i);
        for (int d = 0; d < t->head_dim; d++)
            weight[j] += q[i * width + at + d] * k[j * width + at + d];
        most = fmax(most, weight[j]);
    }
    for (int j = 0; j < n; j++) sum += weight[j] = exp(weight[j] - most);
    for (int d = 0; d < t->head_dim; d++) {
        mixed[d] = 0;
        for (int j = 0; j < n; j++) mixed[d] += weight[j] / sum * v[j * width + at + d];
    }
    free(weight);
}

/* x += attention of its norm over `other` (m, dim), or, NULL, over itself */
static inline void reference_attend_text(const ReferenceText *t, int l, const char *kind,
                                         const double *other, int m) {
    int width = t->heads * t->head_dim, dim = t->dim, keys = other ? m : t->n;
    size_t rows = (size_t)(t->n > keys ? t->n : keys),
           wide = (size_t)(width > dim ? width : dim);
    double *all = malloc(sizeof *all * 5 * rows * wide), *h = all, *q = h + rows * wide,
           *k = q + rows * wide, *v = k + rows * wide, *mixed = v + rows * wide;
    char what[40];
    bool causal = !other && *t->side == 'd';
    snprintf(what, sizeof what, "%s_norm", kind);
    for (int i = 0; i < t->n; i++)
        reference_norm(t->r, -1, reference_side(t, l, what), t->x + i * dim, dim, h + i * dim);
    snprintf(what, sizeof what, "%s_q", kind);
    reference_map(t, l, what, h, t->n, dim, width, q);
    snprintf(what, sizeof what, "%s_k", kind);
    reference_map(t, l, what, other ? other : h, keys, dim, width, k);
    snprintf(what, sizeof what, "%s_v", kind);
    reference_map(t, l, what, other ? other : h, keys, dim, width, v);
    for (int i = 0; i < t->n; i++)
        for (int head = 0; head < t->heads; head++)
            reference_look(t, l, other, i, head, q, k, v, causal ? i + 1 : keys,
                           mixed + i * width + head * t->head_dim);
    snprintf(what, sizeof what, "%s_o", kind);
    reference_map(t, l, what, mixed, t->n, width, dim, h);
    for (int i = 0; i < t->n * dim; i++) t->x[i] += h[i];
    free(all);
}

/* x += network(norm(x)): gated by GELU, or a ReLU where the file has no gate */
static inline void reference_feed_text(const ReferenceText *t, int l) {
    double h[REFERENCE_WIDEST], a[REFERENCE_WIDEST], b[REFERENCE_WIDEST];
    int hidden = reference_size(t->r, "feed_forward_length", 0, 0);
    bool gated = reference_weight(t->r, -1, reference_side(t, l, "ffn_gate"));
    for (int i = 0; i < t->n; i++) {
        double *x = t->x + i * t->dim;
        reference_norm(t->r, -1, reference_side(t, l, "ffn_norm"), x, t->dim, h);
        reference_map(t, l, "ffn_up", h, 1, t->dim, hidden, b);
        if (gated) reference_map(t, l, "ffn_gate", h, 1, t->dim, hidden, a);
        for (int k = 0; k < hidden; k++)
            b[k] = !gated ? fmax(b[k], 0)
                          : b[k] * 0.5 * a[k] *
                                (1 + tanh(sqrt(2 / M_PI) * (a[k] + 0.044715 * pow(a[k], 3))));
        reference_map(t, l, "ffn_down", b, 1, hidden, t->dim, h);
        for (int k = 0; k < t->dim; k++) x[k] += h[k];
    }
}

/* The rows of a text behind its blocks and their norm; `other` (m, dim) is the source, or NULL.  The caller
 * frees them. */
static inline double *reference_read(const Reference *r, const char *side,
                                     const int32_t *tokens, int n, const double *other, int m) {
    ReferenceText t = {r,
                       side,
                       n,
                       reference_size(r, "embedding_length", 0, 0),
                       reference_size(r, "attention.head_count", 0, 0),
                       0,
                       NULL};
    const double *table = reference_weight(r, -1, "token_embd");
    int blocks = reference_size(r, "block_count", 0, 0);
    char norm[40];
    if (other) blocks = reference_size(r, "decoder_block_count", 0, blocks);
    t.head_dim = reference_size(r, "attention.key_length", 0, t.dim / t.heads);
    t.x = malloc(sizeof *t.x * (size_t)(n * t.dim));
    for (int i = 0; i < n; i++)
        memcpy(t.x + i * t.dim, table + tokens[i] * t.dim, sizeof *t.x * (size_t)t.dim);
    for (int l = 0; l < blocks; l++) {
        reference_attend_text(&t, l, "attn", NULL, 0);
        if (other) reference_attend_text(&t, l, "cross_attn", other, m);
        reference_feed_text(&t, l);
    }
    snprintf(norm, sizeof norm, "%s.output_norm", side);
    for (int i = 0; i < n; i++)
        reference_norm(r, -1, norm, t.x + i * t.dim, t.dim, t.x + i * t.dim);
    return t.x;
}

/* logits (n, vocab), but for the source's rows: those before the first start token. */
static inline void reference_answer(const Reference *r, const int32_t *tokens, int n,
                                    double *logits) {
    int start = reference_size(r, "decoder_start_token_id", 0, 0), source = 0,
        dim = reference_size(r, "embedding_length", 0, 0),
        vocab = (int)reference_find(r, -1, "token_embd", "weight")->shape[0];
    bool tied = !reference_weight(r, -1, "output");
    while (tokens[source] != start) source++;
    double *read = reference_read(r, "enc", tokens, source, NULL, 0),
           *x = reference_read(r, "dec", tokens + source, n - source, read, source);
    for (int i = source; i < n; i++) {
        double *row = logits + (size_t)i * (size_t)vocab;
        reference_rows(r, -1, tied ? "token_embd" : "output", 0, vocab, x + (i - source) * dim,
                       row);
        for (int k = 0; k < vocab && tied; k++) row[k] /= sqrt(dim);
    }
    free(read), free(x);
}

#endif
