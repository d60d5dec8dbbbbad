/* right: a tile for each row, a few inputs at a time */
static void plain_rows(const Work *t, const WeightsProduct *p, size_t begin, size_t end) {
    DotTile *tile = plain_tile(p->w->dtype);
    size_t in = p->w->shape[1], out = p->w->shape[0];
    for (size_t r = begin; r < end; r++)
        for (size_t c = 0; c < p->n; c += 5)
            tile(&(DotTask){.w = tensor_row(p->w, r),
                            .w_stride = p->w->stride[0],
                            .x = t->x + (p->first + c) * in,
                            .x_stride = in,
                            .y = p->y + c * out + r,
                            .y_stride = out,
                            .rows = 1,
                            .cols = min_size(5, p->n - c),
                            .n = in});
}
