/* linear_dense.c - a linear map of f32 weights and the way back through it: what training runs on.  See linear.h. */
#include "linear.h"

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
