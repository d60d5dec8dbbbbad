/* norm_backward.c - see norm.h. */
#include "norm.h"

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
