/* right: all sums by hand, in double, with a softmax of its own */
static void attend(const AttentionShape *s, size_t head, size_t i, size_t n, const float *q,
                   const float *k, const float *v, float *out, float *scores) {
    Range seen = mask_range(s->mask, i, n);
    double most = s->sinks ? (double)s->sinks[head] : -1e30, total = 0;
    for (size_t j = seen.begin; j < seen.end; j++) {
        double dot = 0;
        for (size_t d = 0; d < s->head_dim; d++)
            dot += (double)q[d] * (double)k[j * s->kv_heads * s->head_dim + d];
        scores[j] =
            attention_score(s, (float)(dot * (double)s->scale), attention_slope(s, head), i, j);
        if (s->relative) relative_add(s->relative, head, i, j, 1, scores + j);
        if ((double)scores[j] > most) most = (double)scores[j];
    }
    if (s->sinks) total = exp((double)s->sinks[head] - most);
    for (size_t j = seen.begin; j < seen.end; j++) total += exp((double)scores[j] - most);
    for (size_t d = 0; d < attention_value_dim(s); d++) {
        double sum = 0;
        for (size_t j = seen.begin; j < seen.end; j++)
            sum += exp((double)scores[j] - most) / total *
                   (double)v[j * s->kv_heads * attention_value_dim(s) + d];
        out[d] = (float)sum;
    }
}
