/* norm.c - see norm.h. */
#include "norm.h"

#include <math.h>

float inverse_rms(const float *x, size_t dim, float eps) {
    return 1 / sqrtf(dot_f32(x, x, dim) / (float)dim + eps);
}

void rms_norm(float *out, const float *x, const float *gain, size_t dim, float eps) {
    float scale = inverse_rms(x, dim, eps);
    for (size_t i = 0; i < dim; i++) out[i] = x[i] * scale * (gain ? gain[i] : 1);
}

void length_norm(float *x, size_t dim, float least) {
    float length = sqrtf(dot_f32(x, x, dim)), scale = 1 / (length > least ? length : least);
    for (size_t i = 0; i < dim; i++) x[i] *= scale;
}
