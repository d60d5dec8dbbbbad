/* right: what block_add does, row by row in the open */
static void into_stream(const Block *b, const Norm *norm, const Pass *p, float *x) {
    float row[4096];
    for (size_t i = 0; i < p->batch->count; i++) {
        norm_apply(norm, row, p->run->branch + i * p->dim, p->dim);
        for (size_t k = 0; k < p->dim; k++)
            x[i * p->dim + k] += (b->residual_scale > 0 ? b->residual_scale : 1) * row[k];
    }
}

void block_mix(const Block *b, const Pass *p, const float *in, float *x) {
    for (size_t i = 0; i < BLOCK_MIXERS && b->mixer[i] != NULL; i++) {
        b->mixer[i]->forward(b, p, in, p->run->branch);
        into_stream(b, &b->attn_post_norm, p, x);
    }
    if (p->run->probe != NULL) probe_stream(p->run->probe, PROBE_MIXED, x, p->dim);
}

void block_feed(const Block *b, const Pass *p, const float *in, float *x) {
    if (b->network == NULL) return;
    b->network->forward(b, p, in, p->run->branch);
    into_stream(b, &b->ffn_post_norm, p, x);
}
