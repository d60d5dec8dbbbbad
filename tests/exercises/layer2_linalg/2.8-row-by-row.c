/* right: one dot product for each output */
static void plain_rows(const Work *t, const WeightsProduct *p, size_t begin, size_t end) {
    size_t in = p->w->shape[1], out = p->w->shape[0];
    for (size_t c = 0; c < p->n; c++)
        for (size_t r = begin; r < end; r++)
            plain_tile(p->w->dtype)(&(DotTask){.w = tensor_row(p->w, r),
                                               .x = t->x + (p->first + c) * in,
                                               .y = p->y + c * out + r,
                                               .rows = 1,
                                               .cols = 1,
                                               .n = in});
}

void matvec(Pool *pool, const Tensor *w, const float *x, float *y, void *scratch) {
    WeightsProduct one = {.w = w, .n = 1, .y = y};
    matmul_products(pool, &one, 1, x, 1, scratch);
}
