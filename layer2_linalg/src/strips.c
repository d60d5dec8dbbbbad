/* strips.c - weighted sums of numbers in two bytes, one, or half a one, and the choice among all of them.  See vector.h;
 * read vector.c first. */
#include "half.h"
#include "kernel_table.h"
#include "size.h"

/* Number i of a strip of a row, as a float: exact in every format. */
static float number_of(StripFormat format, const void *strip, size_t i) {
    const uint8_t *bytes = strip;
    switch (format) {
    case STRIP_F32: return ((const float *)strip)[i];
    case STRIP_F16: return f16_to_f32(((const uint16_t *)strip)[i]);
    case STRIP_BF16: return bf16_to_f32(((const uint16_t *)strip)[i]);
    case STRIP_LOW4: return (float)((bytes[i] & 15) - 8);
    case STRIP_HIGH4: break;
    }
    return (float)((bytes[i] >> 4) - 8);
}

/* Each strip of a row is widened, then added. */
static void widen_and_sum(StripFormat format, const WeightedTask *t) {
    const size_t bytes = strip_number_bytes(format);
    float row[STRIP];
    for (size_t c = 0; c < t->count; c++)
        for (size_t i = 0; i < t->n; i += STRIP)
            for (size_t j = 0; j < t->rows; j++) {
                size_t n = min_size(STRIP, t->n - i), at = i / STRIP * t->x_step + STRIP * j;
                for (size_t k = 0; k < n; k++)
                    row[k] = number_of(format, (const char *)t->x + bytes * at, k);
                axpy_scalar(t->y + c * t->y_step + i, t->a[c * t->a_step + j], row, n);
            }
}

void weighted_sum_bf16_scalar(const WeightedTask *t) { widen_and_sum(STRIP_BF16, t); }
void weighted_sum_low4_scalar(const WeightedTask *t) { widen_and_sum(STRIP_LOW4, t); }
void weighted_sum_high4_scalar(const WeightedTask *t) { widen_and_sum(STRIP_HIGH4, t); }

size_t strip_number_bytes(StripFormat format) {
    static const size_t bytes[] = {4, 2, 2, 1, 1};
    return bytes[format];
}

static WeightedSum *kernel_of(StripFormat format) {
    const Kernels *k = kernels();
    WeightedSum *const sums[] = {k->weighted_sum, k->weighted_sum_f16, k->weighted_sum_bf16,
                                 k->weighted_sum_low4, k->weighted_sum_high4};
    return sums[format];
}

void weighted_sum(StripFormat format, float *y, size_t y_step, const float *a, size_t a_step,
                  size_t count, const void *x, size_t x_step, size_t rows, size_t n) {
    kernel_of(format)(&(WeightedTask){y, a, x, y_step, a_step, x_step, count, rows, n});
}
