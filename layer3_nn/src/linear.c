/* linear.c - see linear.h. */
#include "linear.h"

void linear(Pool *pool, const Linear *map, const float *x, size_t n, float *y, void *scratch) {
    size_t out = map->w.shape[0];
    matmul_weights(pool, &map->w, map->packed, x, n, y, scratch);
    for (size_t c = 0; map->bias && c < n; c++)
        for (size_t r = 0; r < out; r++) y[c * out + r] += map->bias[r];
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
