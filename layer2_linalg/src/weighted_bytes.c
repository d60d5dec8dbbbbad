/* weighted_bytes.c - see weighted_bytes.h. */
#include "weighted_bytes.h"
#include "formats/quants.h"
#include "half.h"
#include "kernels/kernel_table.h"
#include "size.h"

/* Row j, column i of x in groups of `group` rows. */
static int8_t byte_at(const WeightedBytes *t, size_t group, size_t j, size_t i) {
    return t->x[i / STRIP * t->x_step + (j / group * STRIP + i % STRIP) * group + j % group];
}

/* y += scales * the sum, which is exact and rounded once, as a float. */
static void add_scaled(const WeightedBytes *t, size_t c, size_t i, int32_t sum) {
    float *y = &t->y[c * t->y_step + i], scale = t->a_scale[c * t->scale_step];
    if (t->x_scale) scale *= f16_to_f32(t->x_scale[i]);
    *y = fmaf(scale, (float)sum, *y);
}

void weighted_quads_scalar(const WeightedBytes *t) {
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i++) {
            const int8_t *a = (const int8_t *)t->a + c * t->a_step;
            int32_t sum = 0;
            for (size_t j = 0; j < t->rows; j++) sum += a[j] * byte_at(t, 4, j, i);
            add_scaled(t, c, i, sum);
        }
}

void weighted_pairs_scalar(const WeightedBytes *t) {
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i++) {
            const int16_t *a = (const int16_t *)t->a + c * t->a_step;
            int32_t sum = 0;
            for (size_t j = 0; j < t->rows; j++) sum += a[j] * byte_at(t, 2, j, i);
            add_scaled(t, c, i, sum);
        }
}

float quantize_factors_scalar(const float *w, const uint16_t *scale, size_t n, int16_t *q) {
    float largest = 0;
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
        float size = fabsf(w[i] * f16_to_f32(scale[i]));
        largest = size > largest ? size : largest;
        finite = finite && size < INFINITY;
    }
    memset(q, 0, n * sizeof *q);
    if (!finite) return NAN;
    if (!(largest > 1e-30f)) return 0;
    const float inverse = 32767 / largest;
    for (size_t i = 0; i < n; i++)
        q[i] = (int16_t)nearest(w[i] * f16_to_f32(scale[i]) * inverse);
    return largest / 32767;
}

void quantize_bytes(const float *x, size_t n, int8_t *q, float *scale, int32_t *sum) {
    for (size_t i = 0; i < n; i += 32) {
        float last[32] = {0};
        int16_t halves[2];
        const float *from = x + i;
        if (n - i < 32) from = memcpy(last, x + i, (n - i) * sizeof *x);
        scale[i / 32] = kernels()->quantize_input_block(from, q + i, halves);
        sum[i / 32] = halves[0] + halves[1];
    }
}

void weighted_quads(const WeightedBytes *t) { kernels()->weighted_quads(t); }
void weighted_pairs(const WeightedBytes *t) { kernels()->weighted_pairs(t); }
float quantize_factors(const float *w, const uint16_t *scale, size_t n, int16_t *q) {
    return kernels()->quantize_factors(w, scale, n, q);
}
