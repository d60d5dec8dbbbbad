/* right: heads outside, tokens inside, a key-value head after the other; scores from place 0 on */
static void one(const AttentionShape *s, size_t head, size_t shared, size_t i, size_t n,
                const float *q, const float *k, const float *v, float *out, float *scores) {
    size_t value = attention_value_dim(s), count = 0;
    Range seen = mask_range(s->mask, i, n);
    const float *row = q + (i * s->heads + head) * s->head_dim;
    for (size_t j = seen.begin; j < seen.end; j++)
        scores[count++] = attention_score(
            s,
            dot_f32(row, k + (j * s->kv_heads + shared) * s->head_dim, s->head_dim) * s->scale,
            attention_slope(s, head), i, j);
    if (s->relative) relative_add(s->relative, head, i, seen.begin, count, scores);
    if (s->sinks) scores[count] = s->sinks[head];
    softmax(scores, scores, count + (s->sinks != NULL));
    for (size_t d = 0; d < value; d++) out[(i * s->heads + head) * value + d] = 0;
    while (count-- > 0)
        for (size_t d = 0; d < value; d++)
            out[(i * s->heads + head) * value + d] +=
                scores[count] * v[((seen.begin + count) * s->kv_heads + shared) * value + d];
}

void attention(const AttentionShape *s, size_t n, const float *q, const float *k,
               const float *v, float *out, float *scores) {
    for (size_t shared = 0, head = 0; shared < s->kv_heads; shared++)
        for (size_t g = 0; g < s->heads / s->kv_heads; g++, head++)
            for (size_t i = 0; i < n; i++) one(s, head, shared, i, n, q, k, v, out, scores);
}
