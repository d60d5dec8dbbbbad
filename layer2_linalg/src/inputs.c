/* inputs.c - inputs rounded to bytes, 32 at a time.  See panel.h. */
#include "formats/quants.h"
#include "kernel_table.h"
#include "panel.h"

static size_t tiles_of(size_t k) { return (k + PANEL_COLS - 1) / PANEL_COLS; }

size_t inputs_bytes(size_t n, size_t k) {
    return n * tiles_of(k) *
           (PANEL_COLS + PANEL_COLS / 32 * sizeof(float) + PANEL_COLS / 16 * sizeof(int16_t));
}

Inputs inputs_view(void *memory, size_t n, size_t k) {
    Inputs x = {.n = n, .k = k, .d = memory};
    x.sum = (void *)(x.d + n * tiles_of(k) * (PANEL_COLS / 32));
    x.q = (int8_t *)(x.sum + n * tiles_of(k) * (PANEL_COLS / 16));
    return x;
}

/* The bits of a float's magnitude grow with it, infinity and NaN at the end; and whole numbers have
 * a maximum that the compiler turns into SIMD. */
static uint32_t largest_bits(const float x[32]) {
    uint32_t max = 0;
    for (int i = 0; i < 32; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, 4);
        bits &= 0x7FFFFFFF;
        max = bits > max ? bits : max;
    }
    return max;
}

/* d = the largest magnitude / 127; a quant is x * (127 / the largest magnitude), to the nearest whole number, halves to the even
 * one.  sum[0] is of the first 16 quants, sum[1] of the last.  Where the largest magnitude is at most 1e-30, all is 0; where a
 * number is not finite, quants and sums are 0 and d is NaN. */
float quantize_input_block_scalar(const float *restrict x, int8_t *restrict q, int16_t *sum) {
    uint32_t bits = largest_bits(x);
    float max, inverse = 0, d = 0;
    int total[2] = {0, 0};
    memcpy(&max, &bits, 4);
    if (!(max < INFINITY)) {
        memset(q, 0, 32);
        sum[0] = sum[1] = 0;
        return NAN;
    }
    if (max > 1e-30f) d = max / 127, inverse = 127 / max;
    for (int i = 0; i < 32; i++) q[i] = (int8_t)nearest(x[i] * inverse);
    for (int i = 0; i < 16; i++) total[0] += q[i], total[1] += q[16 + i];
    sum[0] = (int16_t)total[0], sum[1] = (int16_t)total[1];
    return d;
}

void quantize_input(const Inputs *inputs, size_t index, const float *x) {
    QuantizeInputBlock *quantize = kernels()->quantize_input_block;
    for (size_t k = 0; k < inputs->k; k += 32) {
        size_t at = (k / PANEL_COLS * inputs->n + index) * PANEL_COLS + k % PANEL_COLS;
        inputs->d[at / 32] = quantize(x + k, inputs->q + at, inputs->sum + at / 16);
    }
}
