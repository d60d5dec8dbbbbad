/* textbook.h - attention in double precision for the graders, right and with typical mistakes.
 *
 * A wrong result that equals that of a known mistake is that mistake: so a hint can name it. */
#ifndef STRATA_TEXTBOOK_H
#define STRATA_TEXTBOOK_H

#include "grader.h"
#include "transformer_extras.h"

enum { MOST_ROWS = 1100, MOST_DIM = 64 };

typedef enum Mistake {
    NO_MISTAKE,
    NO_SCALE,
    NO_SOFTMAX,
    NOT_DIVIDED,
    LOOKS_AHEAD,
    NO_WINDOW,
    HEADS_IN_TURN,
    NO_CAP,
    CAP_BEFORE_SCALE,
    NO_BIAS,
    NO_SINK,
    NO_RELATIVE,
    RELATIVE_OF_HEAD_0,
    RELATIVE_CAPPED,
    NO_OWN_KEY,
    MISTAKES
} Mistake;

static const char *const mistake_hints[MISTAKES] = {
    [NO_SCALE] = "a score is scale * q.k: the scale is missing",
    [NO_SOFTMAX] =
        "the scores are taken as weights as they are: softmax comes before the values",
    [NOT_DIVIDED] = "the weights do not add up to 1: divide by the sum of the exponentials",
    [LOOKS_AHEAD] =
        "later tokens are seen: softmax and sum run over the range of the mask only",
    [NO_WINDOW] =
        "the window is not kept: the range does not begin at 0 but where the mask says",
    [HEADS_IN_TURN] = "query head h takes the key-value head h / (heads / kv_heads): "
                      "neighbours share one, it "
                      "does not go round (h % kv_heads)",
    [NO_CAP] = "the soft cap is missing: attention_score() does that",
    [CAP_BEFORE_SCALE] = "the scale comes first, then attention_score()",
    [NO_BIAS] =
        "the bias by distance is missing: attention_score() does that, with the head's slope",
    [NO_SINK] = "the sink is a score of its own in the softmax: it takes its share of the "
                "weight and adds nothing",
    [NO_RELATIVE] = "the learned bias (shape->relative) is missing: relative_add() adds it",
    [RELATIVE_OF_HEAD_0] = "the learned bias is that of head 0 for every head",
    [RELATIVE_CAPPED] = "the learned bias is added after the soft cap, not before it",
    [NO_OWN_KEY] = "a token sees itself, too: the last key of the range is missing",
};

static inline double textbook_dot(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* The learned bias of a score; 0: none. */
static inline double textbook_bias(const AttentionShape *s, size_t head, size_t i, size_t j,
                                   Mistake m) {
    float bias = 0;
    if (s->relative && m != NO_RELATIVE)
        relative_add(s->relative, m == RELATIVE_OF_HEAD_0 ? 0 : head, i, j, 1, &bias);
    return (double)bias;
}

static inline double textbook_score(const AttentionShape *s, size_t head, size_t i, size_t j,
                                    double dot, Mistake m) {
    double cap = m == NO_CAP ? 0 : (double)s->softcap,
           scale = m == NO_SCALE ? 1 : (double)s->scale, bias = textbook_bias(s, head, i, j, m);
    bool late = m == CAP_BEFORE_SCALE;
    if (!late) dot *= scale;
    if (m == RELATIVE_CAPPED) dot += bias, bias = 0;
    if (cap > 0) dot = cap * tanh(dot / cap);
    if (s->max_bias > 0 && m != NO_BIAS)
        dot -= (double)alibi_slope(head, s->heads, s->max_bias) * fabs((double)i - (double)j);
    return (late ? dot * scale : dot) + bias;
}

static inline Range textbook_range(const AttentionShape *s, size_t i, size_t n, Mistake m) {
    Range seen = mask_range(s->mask, i, n);
    if (m == LOOKS_AHEAD) seen.end = n;
    if (m == NO_WINDOW) seen.begin = 0;
    if (m == NO_OWN_KEY && seen.end - seen.begin > 1) seen.end--;
    return seen;
}

/* The probabilities (n) of one query of one head. */
static inline void textbook_row(const AttentionShape *s, size_t n, size_t i, size_t head,
                                const float *q, const float *k, Mistake m, double *p) {
    size_t hd = s->head_dim,
           shared = m == HEADS_IN_TURN ? head % s->kv_heads : head / (s->heads / s->kv_heads);
    Range seen = textbook_range(s, i, n, m);
    bool sink = s->sinks && m != NO_SINK;
    double max = sink ? (double)s->sinks[head] : -INFINITY, sum;
    for (size_t j = 0; j < n; j++) p[j] = 0;
    for (size_t j = seen.begin; j < seen.end; j++) {
        double dot = textbook_dot(q + (i * s->heads + head) * hd,
                                  k + (j * s->kv_heads + shared) * hd, hd);
        p[j] = textbook_score(s, head, i, j, dot, m);
        max = fmax(max, p[j]);
    }
    if (m == NO_SOFTMAX) return;
    sum = sink ? exp((double)s->sinks[head] - max) : 0;
    for (size_t j = seen.begin; j < seen.end; j++) sum += p[j] = exp(p[j] - max);
    for (size_t j = 0; j < n; j++) p[j] /= m == NOT_DIVIDED ? exp(-max) : sum;
}

static inline void textbook(const AttentionShape *s, size_t n, const float *q, const float *k,
                            const float *v, Mistake m, float *out) {
    size_t vd = attention_value_dim(s);
    double p[MOST_ROWS];
    for (size_t i = 0; i < n; i++)
        for (size_t head = 0; head < s->heads; head++) {
            size_t shared =
                m == HEADS_IN_TURN ? head % s->kv_heads : head / (s->heads / s->kv_heads);
            textbook_row(s, n, i, head, q, k, m, p);
            for (size_t d = 0; d < vd; d++) {
                double sum = 0;
                for (size_t j = 0; j < n; j++)
                    sum += p[j] * (double)v[(j * s->kv_heads + shared) * vd + d];
                out[(i * s->heads + head) * vd + d] = (float)sum;
            }
        }
}

static inline bool all_near(const float *a, const float *b, size_t n, double bound) {
    for (size_t i = 0; i < n; i++)
        if (!close_to((double)a[i], (double)b[i], bound)) return false;
    return true;
}

static inline bool all_finite(const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

#endif
