/* norm_backward.c - see norm.h. */
#include "norm.h"

#include <math.h>

void rms_norm_backward(float *dx, float *dgain, const float *x, const float *gain,
                       const float *dy, size_t dim, float eps) {
    float scale = inverse_rms(x, dim, eps), along = 0;
    for (size_t i = 0; i < dim; i++) along += dy[i] * gain[i] * x[i];
    along *= scale * scale * scale / (float)dim;
    for (size_t i = 0; i < dim; i++) {
        dgain[i] += dy[i] * x[i] * scale;
        dx[i] += scale * gain[i] * dy[i] - along * x[i];
    }
}

void length_norm_backward(float *dx, const float *x, const float *dy, size_t dim, float least) {
    float length = sqrtf(dot_f32(x, x, dim)), held = length > least ? length : least;
    float along = length > least ? dot_f32(x, dy, dim) / (length * length) : 0;
    for (size_t i = 0; i < dim; i++) dx[i] = (dy[i] - along * x[i]) / held;
}
