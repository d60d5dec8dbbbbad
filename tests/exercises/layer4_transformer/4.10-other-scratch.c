/* right: the norm of the second branch in another place of the working memory */
static void sequential(const Block *b, const Pass *p, float *x) {
    float *a = p->run->tmp;
    for (size_t i = 0; i < p->batch->count; i++)
        norm_apply(&b->attn_norm, a + i * p->dim, x + i * p->dim, p->dim);
    block_mix(b, p, a, x);
    for (size_t i = 0; i < p->batch->count; i++)
        norm_apply(&b->ffn_norm, a + i * p->dim, x + i * p->dim, p->dim);
    block_feed(b, p, a, x);
}
