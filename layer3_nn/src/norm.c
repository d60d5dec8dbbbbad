/* norm.c - see norm.h. */
#include "norm.h"

#include <math.h>

/* 1 / root-mean-square of x */
static float inverse_rms(const float *x, size_t dim, float eps) {
    return 1 / sqrtf(dot_f32(x, x, dim) / (float)dim + eps);
}

void rms_norm(float *out, const float *x, const float *gain, size_t dim, float eps) {
    float scale = inverse_rms(x, dim, eps);
    for (size_t i = 0; i < dim; i++) out[i] = x[i] * scale * gain[i];
}

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

/* Two passes: the mean first, then the squares of what is left.  One pass over x and x^2 would
 * lose all digits when the mean is large. */
void layer_norm(float *out, const float *x, const float *gain, const float *bias, size_t dim,
                float eps) {
    float mean = vector_sum(x, dim) / (float)dim;
    for (size_t i = 0; i < dim; i++) out[i] = x[i] - mean;
    float scale = inverse_rms(out, dim, eps);
    for (size_t i = 0; i < dim; i++) out[i] = out[i] * scale * gain[i] + (bias ? bias[i] : 0);
}
