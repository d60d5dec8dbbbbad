/* norm_apply.c - LayerNorm, and norms as models have them: over rows, over heads.  See norm.h. */
#include "norm.h"

#include <string.h>

/* Two passes: the mean first, then the squares of what is left.  One pass over x and x^2 would
 * lose all digits when the mean is large. */
void layer_norm(float *out, const float *x, const float *gain, const float *bias, size_t dim,
                float eps) {
    float mean = vector_sum(x, dim) / (float)dim;
    for (size_t i = 0; i < dim; i++) out[i] = x[i] - mean;
    float scale = inverse_rms(out, dim, eps);
    for (size_t i = 0; i < dim; i++)
        out[i] = out[i] * scale * (gain ? gain[i] : 1) + (bias ? bias[i] : 0);
}

/* One norm of width numbers, with the gain and the bias that it has: NULL for none. */
static void apply_once(const Norm *norm, float *out, const float *x, const float *gain,
                       const float *bias) {
    if (norm->kind == NORM_LAYER) {
        layer_norm(out, x, gain, bias, norm->width, norm->eps);
        return;
    }
    rms_norm(out, x, gain, norm->width, norm->eps);
    for (size_t i = 0; bias && i < norm->width; i++) out[i] += bias[i];
}

void norm_apply(const Norm *norm, float *out, const float *x, size_t n) {
    if (norm->kind == NORM_NONE) {
        if (out != x) memcpy(out, x, n * sizeof *x);
        return;
    }
    REQUIRE(n % norm->width == 0, "%zu numbers in norms of %zu", n, norm->width);
    for (size_t at = 0; at < n; at += norm->width) {
        size_t own = norm->own_gain ? at : 0;
        apply_once(norm, out + at, x + at, norm->gain ? norm->gain + own : NULL,
                   norm->bias ? norm->bias + own : NULL);
    }
}
