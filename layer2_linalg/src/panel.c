/* panel.c - integer products, the version to read first; see panel.h. */
#include "panel.h"
#include "kernels/kernel_table.h"
#include "simd/hints.h"
#include "formats/quants.h"

#include <math.h>
#include <string.h>

void panel_interleave_scalar(const Quants rows[PANEL_ROWS], PanelQuad q[PANEL_QUADS]) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad++)
        for (size_t r = 0; r < PANEL_ROWS; r++) memcpy(q[quad][r], rows[r].q + 4 * quad, 4);
}

/* The quants of 16 rows; missing rows repeat the last.  The hardware prefetcher does not follow
 * 16 rows that are read a little at a time, so we prefetch. */
static void unpack_rows(const QuantFormat *format, const void *w, size_t stride, size_t rows,
                        size_t n, Quants quants[PANEL_ROWS]) {
    for (size_t r = 0; r < PANEL_ROWS; r++) {
        const char *row = (const char *)w + (r < rows ? r : rows - 1) * stride;
        prefetch(row + 256, 320);
        format->unpack(row, n, &quants[r]);
    }
}

void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n) {
    Quants quants[PANEL_ROWS];
    unpack_rows(format, w, stride, rows, n, quants);
    kernels()->panel_interleave((const Quants *)quants, panel->own);
    panel->q = (const PanelQuad *)panel->own;
    for (size_t g = 0; g < n / (size_t)format->group; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            panel->scale[g][r] = quants_scale(format, &quants[r], g);
            if (format->min) panel->min[g][r] = quants_min(format, &quants[r], g);
        }
}

/* One group of one row times one input: 16 or 32 products. */
static int group_product(const Panel *panel, const int8_t *q, size_t first, size_t count,
                         size_t row) {
    int sum = 0;
    for (size_t k = first; k < first + count; k++) sum += panel->q[k / 4][row][k % 4] * q[k];
    return sum;
}

/* y[r] += 16 rows times the first input of a tile. */
static void add_product(const Panel *panel, const QuantFormat *f, InputTile x,
                        float y[PANEL_ROWS]) {
    size_t group = (size_t)f->group;
    for (size_t g = 0; g < x.n / group; g++) {
        int inputs = group == 16 ? x.sum[g] : x.sum[2 * g] + x.sum[2 * g + 1];
        float d = x.d[g * group / 32];
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            int product = group_product(panel, x.q, g * group, group, r) - f->offset * inputs;
            y[r] = fmaf((float)product, panel->scale[g][r] * d, y[r]);
            if (f->min) y[r] = fmaf((float)inputs * d, panel->min[g][r], y[r]);
        }
    }
}

void panel_product_scalar(const Panel *panels, size_t count, const QuantFormat *f,
                          const InputTile *x, float (*y)[PANEL_ROWS]) {
    for (size_t p = 0; p < count; p++)
        for (size_t c = 0; c < x->count; c++)
            add_product(panels + p, f, input_tile_after(*x, c), y[p * x->count + c]);
}

size_t inputs_bytes(size_t n, size_t k) {
    return n * div_up(k, PANEL_COLS) *
           (PANEL_COLS + PANEL_COLS / 32 * sizeof(float) + PANEL_COLS / 16 * sizeof(int16_t));
}

Inputs inputs_view(void *memory, size_t n, size_t k) {
    Inputs x = {.n = n, .k = k, .d = memory};
    x.sum = (void *)(x.d + n * div_up(k, PANEL_COLS) * (PANEL_COLS / 32));
    x.q = (int8_t *)(x.sum + n * div_up(k, PANEL_COLS) * (PANEL_COLS / 16));
    return x;
}

/* The bits of magnitudes are ordered as the magnitudes, with infinity and NaN last; and the
 * compiler vectorizes a maximum of integers. */
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

/* With m the largest magnitude: d = m / 127, q = x * (127 / m), rounded to nearest, ties to
 * even. sum[0]: of the first 16 quants, sum[1]: of the last.  m <= 1e-30: all 0.  A number that
 * is not finite: q and sum are 0, d is NaN. */
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
