/* right: the norm of the second branch in another place of the working memory */
static void sequential(const Block *b, BlockRun *run, KvCache *kv, size_t layer,
                       const Batch *batch, float *x, size_t dim) {
    for (size_t i = 0; i < batch->count; i++)
        norm_apply(&b->attn_norm, run->aside + i * dim, x + i * dim, dim);
    attend(b, run, kv, layer, batch, run->aside, x, dim);
    for (size_t i = 0; i < batch->count; i++)
        norm_apply(&b->ffn_norm, run->aside + i * dim, x + i * dim, dim);
    feed_forward(b, run, run->aside, batch->count, x, dim);
}
