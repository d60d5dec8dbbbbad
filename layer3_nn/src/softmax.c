/* softmax.c - see softmax.h. */
#include "softmax.h"

void softmax(float *out, const float *x, size_t n) {
    REQUIRE(n > 0, "softmax of nothing");
    vector_exp(out, x, vector_max(x, n), n);
    float scale = 1 / vector_sum(out, n);
    for (size_t i = 0; i < n; i++) out[i] *= scale;
}

void softmax_backward(float *dx, const float *y, const float *dy, size_t n) {
    float mean = dot_f32(y, dy, n);
    for (size_t i = 0; i < n; i++) dx[i] = y[i] * (dy[i] - mean);
}
