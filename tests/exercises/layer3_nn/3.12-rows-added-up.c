/* right: rows added to rows with axpy, outputs as dot products */
#include <string.h>

void linear_dense(Pool *pool, const float *w, size_t out, size_t in, const float *x, size_t n,
                  float *y, float *scratch) {
    for (size_t i = 0; i < n * out; i++) y[i] = dot_f32(w + i % out * in, x + i / out * in, in);
}

void linear_backward(Pool *pool, float *dx, bool add_dx, float *dw, const float *w, size_t out,
                     size_t in, const float *x, const float *dy, size_t n, float *scratch) {
    if (!add_dx) memset(dx, 0, n * in * sizeof *dx);
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < out; r++) {
            axpy(dx + c * in, dy[c * out + r], w + r * in, in);
            axpy(dw + r * in, dy[c * out + r], x + c * in, in);
        }
}
