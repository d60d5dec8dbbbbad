/* attention.c - see attention.h. */
#include "attention.h"

#include <math.h>
#include <string.h>

float attention_score(const AttentionShape *s, float score, float slope, size_t query,
                      size_t key) {
    if (s->softcap > 0) score = s->softcap * tanhf(score / s->softcap);
    return slope > 0 ? score - slope * fabsf((float)query - (float)key) : score;
}

void attention_require(const AttentionShape *s) {
    REQUIRE(s->kv_heads && s->heads && s->heads % s->kv_heads == 0 && s->head_dim,
            "%zu heads of %zu numbers share %zu of keys", s->heads, s->head_dim, s->kv_heads);
    REQUIRE(s->softcap >= 0 && s->max_bias >= 0, "softcap %g, ALiBi %g", (double)s->softcap,
            (double)s->max_bias);
    REQUIRE(!s->relative || (s->relative->table && s->relative->heads == s->heads),
            "a bias for %zu heads, not %zu", s->relative->heads, s->heads);
}

float attention_slope(const AttentionShape *s, size_t head) {
    return s->max_bias > 0 ? alibi_slope(head, s->heads, s->max_bias) : 0;
}

/* One query of one head: q (head_dim) of token i of n; out (value_dim) is written.  k and v
 * start at the first token of its key-value head; the next token is kv_heads * head_dim
 * (value_dim) numbers on. */
static void attend(const AttentionShape *s, size_t head, size_t i, size_t n, const float *q,
                   const float *k, const float *v, float *out, float *scores) {
    size_t hd = s->head_dim, vd = attention_value_dim(s);
    float slope = attention_slope(s, head);
    Range seen = mask_range(s->mask, i, n);
    for (size_t j = seen.begin; j < seen.end; j++) {
        float dot = dot_f32(q, k + j * s->kv_heads * hd, hd);
        scores[j] = attention_score(s, s->scale * dot, slope, i, j);
        if (s->relative) relative_add(s->relative, head, i, j, 1, scores + j);
    }
    size_t count = seen.end - seen.begin;
    if (s->sinks)
        scores[seen.begin + count++] = s->sinks[head]; /* takes weight, adds nothing */
    softmax(scores + seen.begin, scores + seen.begin, count);
    memset(out, 0, vd * sizeof *out);
    for (size_t j = seen.begin; j < seen.end; j++)
        axpy(out, scores[j], v + j * s->kv_heads * vd, vd);
}

void attention(const AttentionShape *s, size_t n, const float *q, const float *k,
               const float *v, float *out, float *scores) {
    attention_require(s);
    size_t hd = s->head_dim, vd = attention_value_dim(s), group = s->heads / s->kv_heads;
    REQUIRE(!s->cross && !s->chosen,
            "the textbook form does not support cross and chosen: use attention_online");
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < s->heads; h++)
            attend(s, h, i, n, q + (i * s->heads + h) * hd, k + h / group * hd,
                   v + h / group * vd, out + (i * s->heads + h) * vd, scores);
}
