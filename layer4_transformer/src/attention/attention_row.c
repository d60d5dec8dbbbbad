/* attention_row.c - see attention_row.h. */
#include "attention_row.h"
#include "attention_online.h"

#include <math.h>

Range attention_row(const AttentionShape *s, const KvCache *kv, size_t layer, size_t sequence,
                    size_t position, size_t head, const float *q, float *weights) {
    float scores[STRIP], slope = attention_slope(s, head),
                         max = s->sinks ? s->sinks[head] : -INFINITY;
    const KvHead kv_head = {layer, sequence, head / (s->heads / s->kv_heads)};
    Range seen = attention_range(s, kv, sequence, position);
    size_t n = seen.end - seen.begin;
    KvQuery query;
    kv_query(kv, layer, (KvRows){q, s->head_dim, 1}, &query);
    for (size_t at = seen.begin; at < seen.end; at++) {
        if (at == seen.begin || at % STRIP == 0)
            kv_scores(kv, kv_head, (KvSpan){at - at % STRIP, STRIP}, &query, scores, STRIP);
        float score = attention_score(s, s->scale * scores[at % STRIP], slope, position, at);
        if (s->relative) relative_add(s->relative, head, position, at, 1, &score);
        if (s->chosen && !(s->chosen[at / 64] >> at % 64 & 1)) score = -INFINITY;
        weights[at - seen.begin] = score;
        if (score > max) max = score;
    }
    float sum = s->sinks ? expf(s->sinks[head] - max) : 0;
    for (size_t i = 0; i < n; i++) sum += weights[i] = expf(weights[i] - max);
    for (size_t i = 0; i < n; i++) weights[i] /= sum;
    return seen;
}
