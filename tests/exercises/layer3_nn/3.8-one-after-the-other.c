/* right: matmul_weights for each map by itself */
void linear_products(Pool *pool, const LinearProduct *products, size_t count, const float *x,
                     size_t rows, void *scratch) {
    for (const LinearProduct *p = products; p < products + count; p++) {
        const Tensor *w = &p->map->w;
        if (p->map->own) {
            p->map->own->rows(p->map->own, pool, p, x, scratch);
            continue;
        }
        matmul_weights(pool, w, p->map->packed, x + p->first * w->shape[1], p->n, p->y,
                       scratch);
        for (size_t i = 0; p->map->scale && i < p->n * w->shape[0]; i++)
            p->y[i] = *p->map->scale * p->y[i];
        for (size_t i = 0; p->map->bias && i < p->n * w->shape[0]; i++)
            p->y[i] += p->map->bias[i % w->shape[0]];
        const LowRank *a = p->map->adapters;
        if (a) low_rank_rows(pool, a, x + p->first * a->in, p->n, p->y);
    }
}
