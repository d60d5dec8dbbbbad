/* wrong: are not read as they should | three plain loops, and what is not F32 is read as F16 */
void linear_products(Pool *pool, const LinearProduct *products, size_t count, const float *x,
                     size_t rows, void *scratch) {
    for (const LinearProduct *p = products; p < products + count; p++) {
        size_t out = p->map->w.shape[0], in = p->map->w.shape[1];
        for (size_t c = 0; c < p->n; c++)
            for (size_t r = 0; r < out; r++) {
                const void *w = tensor_row(&p->map->w, r);
                float sum = 0;
                for (size_t i = 0; i < in; i++)
                    sum +=
                        x[(p->first + c) * in + i] *
                        (p->map->w.dtype == DTYPE_F32 ? ((const float *)w)[i]
                                                      : f16_to_f32(((const uint16_t *)w)[i]));
                p->y[c * out + r] = sum * (p->map->scale ? *p->map->scale : 1) +
                                    (p->map->bias ? p->map->bias[r] : 0);
            }
        const LowRank *a = p->map->adapters;
        if (a) low_rank_rows(pool, a, x + p->first * a->in, p->n, p->y);
    }
}
