/* right: what add_branch does, row by row in the open */
static void into_stream(const Block *b, const Norm *norm, const float *branch, float *x,
                        size_t n, size_t dim) {
    float row[4096];
    for (size_t i = 0; i < n; i++) {
        norm_apply(norm, row, branch + i * dim, dim);
        for (size_t k = 0; k < dim; k++)
            x[i * dim + k] += (b->residual_scale > 0 ? b->residual_scale : 1) * row[k];
    }
}

static void attend(const Block *b, BlockRun *run, KvCache *kv, size_t layer, const Batch *batch,
                   const float *in, float *x, size_t dim) {
    attention_forward(run->pool, &b->attention, &run->attention, kv, layer, batch, in,
                      run->branch);
    into_stream(b, &b->attn_post_norm, run->branch, x, batch->count, dim);
}

static void feed_forward(const Block *b, BlockRun *run, const float *in, size_t n, float *x,
                         size_t dim) {
    bool mixture = b->ffn.router.map.w.data != NULL;
    if (!mixture) dense_forward(run->pool, &b->ffn, &b->ffn.net, in, n, run->branch, &run->ffn);
    if (mixture) moe_forward(run->pool, &b->ffn, in, n, run->branch, &run->ffn);
    into_stream(b, &b->ffn_post_norm, run->branch, x, n, dim);
}
