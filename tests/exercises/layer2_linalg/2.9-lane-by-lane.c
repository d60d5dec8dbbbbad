/* right: lanes outside, k inside; the border's tile copied number by number */
static void pack_strip(const float *from, size_t lane_step, size_t k_step, size_t width,
                       size_t full, size_t k, float *to) {
    for (size_t i = 0; i < full; i++)
        for (size_t p = 0; p < k; p++)
            to[p * full + i] = i >= width ? 0 : from[p * k_step + i * lane_step];
}

static void border_tile(const Packed *t, const float *a, const float *b, float *c, size_t rows,
                        size_t cols) {
    float tile[MICRO_MAX_ROWS][MICRO_MAX_COLS];
    memset(tile, 0, sizeof tile);
    for (size_t i = 0; t->add && i < rows; i++)
        for (size_t j = 0; j < cols; j++) tile[i][j] = c[i * t->ldc + j];
    t->micro.run(t->k, a, b, tile[0], MICRO_MAX_COLS, t->add);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) c[i * t->ldc + j] = tile[i][j];
}
