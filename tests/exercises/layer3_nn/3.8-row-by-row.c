/* right: one dot product for each output, no threads, scale and bias at once */
void linear_products(Pool *pool, const LinearProduct *products, size_t count, const float *x,
                     size_t rows, void *scratch) {
    for (size_t i = 0; i < count; i++) {
        const Linear *map = products[i].map;
        size_t out = map->w.shape[0], in = map->w.shape[1];
        if (map->own) map->own->rows(map->own, pool, &products[i], x, scratch);
        for (size_t c = 0; c < products[i].n && !map->own; c++)
            for (size_t r = 0; r < out; r++)
                matvec(NULL,
                       &(Tensor){.data = tensor_row(&map->w, r),
                                 .dtype = map->w.dtype,
                                 .ndim = 2,
                                 .shape = {1, in},
                                 .stride = {map->w.stride[0], map->w.stride[1]}},
                       x + (products[i].first + c) * in, products[i].y + c * out + r, scratch),
                    products[i].y[c * out + r] =
                        products[i].y[c * out + r] * (map->scale ? *map->scale : 1) +
                        (map->bias ? map->bias[r] : 0);
        for (size_t c = 0; c < products[i].n && !map->own; c++)
            for (const LowRank *a = map->adapters; a; a = a->next)
                low_rank_add(a, x + (products[i].first + c) * in, products[i].y + c * out);
    }
}
