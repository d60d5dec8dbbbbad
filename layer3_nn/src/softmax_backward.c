/* softmax_backward.c - see softmax.h. */
#include "softmax.h"

void softmax_backward(float *dx, const float *y, const float *dy, size_t n) {
    float mean = dot_f32(y, dy, n);
    for (size_t i = 0; i < n; i++) dx[i] = y[i] * (dy[i] - mean);
}
