/* wrong: no product is left out | rows of dy that are 0 are passed over */
#include <string.h>

void linear_backward(Pool *pool, float *dx, bool add_dx, float *dw, const float *w, size_t out,
                     size_t in, const float *x, const float *dy, size_t n, float *scratch) {
    if (!add_dx) memset(dx, 0, n * in * sizeof *dx);
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < out; r++) {
            float by = dy[c * out + r];
            for (size_t k = 0; k < in && by != 0; k++)
                dx[c * in + k] += by * w[r * in + k], dw[r * in + k] += by * x[c * in + k];
        }
}
