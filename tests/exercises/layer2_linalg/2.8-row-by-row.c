/* right: one dot product for each output */
static void plain_rows(const Work *t, const WeightsProduct *p, size_t begin, size_t end) {
    size_t in = p->w->shape[1], out = p->w->shape[0];
    for (size_t c = 0; c < p->n; c++)
        for (size_t r = begin; r < end; r++)
            p->y[c * out + r] =
                dot_row(p->w->dtype, tensor_row(p->w, r), t->x + (p->first + c) * in, in);
}

void matvec(Pool *pool, const Tensor *w, const float *x, float *y, void *scratch) {
    WeightsProduct one = {.w = w, .n = 1, .y = y};
    matmul_products(pool, &one, 1, x, 1, scratch);
}
