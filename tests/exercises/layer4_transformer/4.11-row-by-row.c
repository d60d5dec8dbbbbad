/* right: rows by hand: dots of the gradient with the values, then sums, in plain loops */
static void score_gradients(const QueryTile *b, float scale) {
    for (size_t i = 0; i < b->rows; i++) {
        const float *p = b->p + i * b->keys;
        float *dp = b->dp + i * b->keys;
        double sum = 0;
        for (size_t j = 0; j < b->keys; j++) sum += (double)p[j] * (double)dp[j];
        for (size_t j = 0; j < b->keys; j++) dp[j] = scale * p[j] * (dp[j] - (float)sum);
    }
}

static void backward_tile(const AttentionTask *t, const QueryTile *b, size_t start,
                          size_t kv_head) {
    const AttentionShape *s = t->shape;
    size_t hd = s->head_dim, wide = s->heads * hd, narrow = s->kv_heads * hd;
    const float *q = t->q + (start + b->first) * wide + b->head * hd,
                *k = t->k + start * narrow + kv_head * hd,
                *v = t->v + start * narrow + kv_head * hd,
                *dy = t->dout + (start + b->first) * wide + b->head * hd;
    float *dq = t->dq + (start + b->first) * wide + b->head * hd,
          *dk = t->dk + start * narrow + kv_head * hd,
          *dv = t->dv + start * narrow + kv_head * hd;
    probabilities(s, b, (Matrix){q, wide, 1}, (Matrix){k, narrow, 1});
    for (size_t i = 0; i < b->rows; i++)
        for (size_t j = 0; j < b->keys; j++)
            b->dp[i * b->keys + j] = dot_f32(dy + i * wide, v + j * narrow, hd);
    for (size_t i = 0; i < b->rows; i++)
        for (size_t j = 0; j < b->keys; j++)
            axpy(dv + j * narrow, b->p[i * b->keys + j], dy + i * wide, hd);
    score_gradients(b, s->scale);
    for (size_t i = 0; i < b->rows; i++) {
        memset(dq + i * wide, 0, hd * sizeof *dq);
        for (size_t j = 0; j < b->keys; j++) {
            axpy(dq + i * wide, b->dp[i * b->keys + j], k + j * narrow, hd);
            axpy(dk + j * narrow, b->dp[i * b->keys + j], q + i * wide, hd);
        }
    }
}
