/* right: mean and variance in double, one function for each head whatever its kind */
#include <math.h>

static void norm_one(NormKind kind, float *out, const float *x, const float *gain,
                     const float *bias, size_t dim, float eps) {
    double mean = 0, square = 0;
    for (size_t i = 0; kind == NORM_LAYER && i < dim; i++) mean += (double)x[i] / (double)dim;
    for (size_t i = 0; i < dim; i++) square += ((double)x[i] - mean) * ((double)x[i] - mean);
    double root = sqrt(square / (double)dim + (double)eps);
    for (size_t i = 0; i < dim; i++) {
        double y = ((double)x[i] - mean) / root;
        if (gain) y *= (double)gain[i];
        if (bias) y += (double)bias[i];
        out[i] = (float)y;
    }
}

void layer_norm(float *out, const float *x, const float *gain, const float *bias, size_t dim,
                float eps) {
    norm_one(NORM_LAYER, out, x, gain, bias, dim, eps);
}

void norm_apply(const Norm *norm, float *out, const float *x, size_t n) {
    if (norm->kind == NORM_NONE) memmove(out, x, n * sizeof *x);
    for (size_t h = 0; norm->kind != NORM_NONE && h < n / norm->width; h++) {
        size_t at = h * norm->width, own = norm->own_gain ? at : 0;
        const float *gain = norm->gain ? norm->gain + own : NULL,
                    *bias = norm->bias ? norm->bias + own : NULL;
        norm_one(norm->kind, out + at, x + at, gain, bias, norm->width, norm->eps);
    }
}
