/* linear.c - see linear.h. */
#include "linear.h"

static void add_bias(const Linear *map, size_t n, float *y) {
    size_t out = map->w.shape[0];
    for (size_t c = 0; map->bias && c < n; c++)
        for (size_t r = 0; r < out; r++) y[c * out + r] += map->bias[r];
}

void linear_together(Pool *pool, size_t count, const Linear *const *maps, const float *x,
                     size_t n, float *const *y, void *scratch) {
    WeightsProduct products[LINEAR_TOGETHER] = {{0}};
    REQUIRE(count && count <= LINEAR_TOGETHER, "%zu maps at once", count);
    for (size_t i = 0; i < count; i++)
        products[i] = (WeightsProduct){&maps[i]->w, maps[i]->packed, 0, n, y[i]};
    matmul_products(pool, products, count, x, n, scratch);
    for (size_t i = 0; i < count; i++) add_bias(maps[i], n, y[i]);
}

void linear(Pool *pool, const Linear *map, const float *x, size_t n, float *y, void *scratch) {
    linear_together(pool, 1, &map, x, n, &y, scratch);
}

void linear_dense(Pool *pool, const float *w, size_t out, size_t in, const float *x, size_t n,
                  float *y, float *scratch) {
    Matrix rows = {x, in, 1}, weights = {w, 1, in}; /* W transposed: a stride, not a copy */
    matmul_packed(pool, n, out, in, rows, weights, y, out, false, scratch);
}

void linear_backward(Pool *pool, float *dx, bool add_dx, float *dw, const float *w, size_t out,
                     size_t in, const float *x, const float *dy, size_t n, float *scratch) {
    matmul_packed(pool, n, in, out, (Matrix){dy, out, 1}, (Matrix){w, in, 1}, dx, in, add_dx,
                  scratch);
    matmul_packed(pool, out, in, n, (Matrix){dy, 1, out}, (Matrix){x, in, 1}, dw, in, true,
                  scratch);
}
