/* norm.c - see norm.h. */
#include "norm.h"

#include <math.h>
#include <string.h>

float inverse_rms(const float *x, size_t dim, float eps) {
    return 1 / sqrtf(dot_f32(x, x, dim) / (float)dim + eps);
}

void rms_norm(float *out, const float *x, const float *gain, size_t dim, float eps) {
    float scale = inverse_rms(x, dim, eps);
    for (size_t i = 0; i < dim; i++) out[i] = x[i] * scale * (gain ? gain[i] : 1);
}

void l2_norm(float *x, size_t dim, float min) {
    float length = sqrtf(dot_f32(x, x, dim)), scale = 1 / (length > min ? length : min);
    for (size_t i = 0; i < dim; i++) x[i] *= scale;
}

/* Two passes: the mean, then the squared deviations.  A single pass over x and x^2 would lose
 * all digits for a large mean. */
void layer_norm(float *out, const float *x, const float *gain, const float *bias, size_t dim,
                float eps) {
    float mean = vector_sum(x, dim) / (float)dim;
    for (size_t i = 0; i < dim; i++) out[i] = x[i] - mean;
    float scale = inverse_rms(out, dim, eps);
    for (size_t i = 0; i < dim; i++)
        out[i] = out[i] * scale * (gain ? gain[i] : 1) + (bias ? bias[i] : 0);
}

void norm_apply(const Norm *norm, float *out, const float *x, size_t n) {
    if (norm->kind == NORM_NONE) {
        if (out != x) memcpy(out, x, n * sizeof *x);
        return;
    }
    REQUIRE(norm->width && n % norm->width == 0, "%zu numbers in norms of %zu", n, norm->width);
    for (size_t at = 0; at < n; at += norm->width, out += norm->width, x += norm->width) {
        size_t own = norm->own_gain ? at : 0;
        const float *gain = norm->gain ? norm->gain + own : NULL,
                    *bias = norm->bias ? norm->bias + own : NULL;
        if (norm->kind == NORM_LAYER) {
            layer_norm(out, x, gain, bias, norm->width, norm->eps);
            continue;
        }
        rms_norm(out, x, gain, norm->width, norm->eps);
        for (size_t i = 0; bias && i < norm->width; i++) out[i] += bias[i];
    }
}

typedef struct NormRows {
    const Norm *norm;
    float *out;
    const float *x;
    size_t dim;
} NormRows;

static void norm_some_rows(void *context, int worker, size_t begin, size_t end) {
    const NormRows *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        norm_apply(t->norm, t->out + i * t->dim, t->x + i * t->dim, t->dim);
}

void norm_apply_rows(Pool *pool, const Norm *norm, float *out, const float *x, size_t rows,
                     size_t dim) {
    enum { TAKEN = 4 /* rows at a time by a thread */ };
    pool_for(pool, rows, TAKEN, norm_some_rows, &(NormRows){norm, out, x, dim});
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

void l2_norm_backward(float *dx, const float *x, const float *dy, size_t dim, float min) {
    float length = sqrtf(dot_f32(x, x, dim)), divisor = length > min ? length : min;
    float along = length > min ? dot_f32(x, dy, dim) / (length * length) : 0;
    for (size_t i = 0; i < dim; i++) dx[i] = (dy[i] - along * x[i]) / divisor;
}
