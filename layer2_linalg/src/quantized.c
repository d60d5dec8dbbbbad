/* quantized.c - see quantized.h.  The scalar version of everything. */
#include "quantized.h"
#include "formats/levels.h"
#include "kernels.h"

static const QuantFormat formats[DTYPE_COUNT] = {
    /*                 read         group  offset  span  min */
    [DTYPE_Q4_0] = {levels_q4_0, 32, 8, 15, false},
    [DTYPE_Q4_1] = {levels_q4_1, 32, 0, 15, true},
    [DTYPE_Q5_0] = {levels_q5_0, 32, 16, 31, false},
    [DTYPE_Q5_1] = {levels_q5_1, 32, 0, 31, true},
    [DTYPE_Q8_0] = {levels_q8_0, 32, 0, 0, false},
    [DTYPE_MXFP4] = {levels_mxfp4, 32, 12, 24, false},
    [DTYPE_IQ4_NL] = {levels_iq4_nl, 32, 0, 0, false},
    [DTYPE_IQ4_XS] = {levels_iq4_xs, 32, 0, 0, false},
    [DTYPE_Q2_K] = {levels_q2_k, 16, 0, 3, true},
    [DTYPE_Q3_K] = {levels_q3_k, 16, 4, 7, false},
    [DTYPE_Q4_K] = {levels_q4_k, 32, 0, 15, true},
    [DTYPE_Q5_K] = {levels_q5_k, 32, 0, 31, true},
    [DTYPE_Q6_K] = {levels_q6_k, 16, 32, 63, false},
    [DTYPE_IQ1_S] = {levels_iq1_s, 32, 9, 18, false},
    [DTYPE_IQ1_M] = {levels_iq1_m, 16, 9, 18, false},
    [DTYPE_IQ2_XXS] = {levels_iq2_xxs, 32, 0, 0, false},
    [DTYPE_IQ2_XS] = {levels_iq2_xs, 16, 0, 0, false},
    [DTYPE_IQ2_S] = {levels_iq2_s, 16, 0, 0, false},
    [DTYPE_IQ3_XXS] = {levels_iq3_xxs, 32, 0, 0, false},
    [DTYPE_IQ3_S] = {levels_iq3_s, 32, 0, 0, false},
    [DTYPE_TQ1_0] = {levels_tq1_0, 32, 1, 2, false},
    [DTYPE_TQ2_0] = {levels_tq2_0, 32, 1, 3, false},
};

const QuantFormat *quant_format(Dtype dtype) {
    return dtype < DTYPE_COUNT && formats[dtype].read ? &formats[dtype] : NULL;
}

size_t columns_bytes(size_t n, size_t k) {
    return n * (k + k / 32 * sizeof(float) + k / 16 * sizeof(int16_t));
}

Columns columns_in(void *memory, size_t n, size_t k) {
    float *d = memory;
    int16_t *sum = (int16_t *)(d + n * (k / 32));
    return (Columns){.k = k, .d = d, .sum = sum, .q = (int8_t *)(sum + n * (k / 16))};
}

/* The bits of a float's magnitude grow with it, infinity and NaN at the end; and whole numbers have
 * a maximum that the compiler turns into SIMD. */
static uint32_t largest_bits(const float x[32]) {
    uint32_t most = 0;
    for (int i = 0; i < 32; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, 4);
        bits &= 0x7FFFFFFF;
        most = bits > most ? bits : most;
    }
    return most;
}

/* Numbers too small to divide by count as zero. */
static float round_block(const float *restrict x, int8_t *restrict q, int16_t *sum) {
    uint32_t bits = largest_bits(x);
    float most, inverse = 0, d = 0;
    int total[2] = {0, 0};
    memcpy(&most, &bits, 4);
    if (!(most < INFINITY)) {
        memset(q, 0, 32);
        sum[0] = sum[1] = 0;
        return NAN;
    }
    if (most > 1e-30f) d = most / 127, inverse = 127 / most;
    for (int i = 0; i < 32; i++) q[i] = (int8_t)nearest(x[i] * inverse);
    for (int i = 0; i < 16; i++) total[0] += q[i], total[1] += q[16 + i];
    sum[0] = (int16_t)total[0], sum[1] = (int16_t)total[1];
    return d;
}

void columns_round(const Columns *columns, size_t column, const float *x) {
    size_t k = columns->k, blocks = k / 32;
    int8_t *q = (int8_t *)columns->q + column * k;
    float *d = (float *)columns->d + column * blocks;
    int16_t *sum = (int16_t *)columns->sum + column * 2 * blocks;
    for (size_t b = 0; b < blocks; b++)
        d[b] = round_block(x + 32 * b, q + 32 * b, sum + 2 * b);
}

void panel_turn_scalar(const Levels levels[PANEL_ROWS], Panel *panel) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad++)
        for (size_t r = 0; r < PANEL_ROWS; r++)
            memcpy(panel->q[quad][r], levels[r].q + 4 * quad, 4);
    for (size_t g = 0; g < LEVELS_GROUPS; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            panel->scale[g][r] = levels[r].scale[g];
            panel->min[g][r] = levels[r].min[g];
        }
}

void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n) {
    Levels levels[PANEL_ROWS];
    for (size_t r = 0; r < PANEL_ROWS; r++)
        format->read((const char *)w + (r < rows ? r : rows - 1) * stride, n, &levels[r]);
    kernels()->panel_turn(levels, panel);
}

/* One group of one row with one column: 16 or 32 products. */
static int group_product(const Panel *panel, const int8_t *q, size_t first, size_t count,
                         size_t row) {
    int sum = 0;
    for (size_t k = first; k < first + count; k++) sum += panel->q[k / 4][row][k % 4] * q[k];
    return sum;
}

void panel_product_scalar(const Panel *panel, const QuantFormat *f, size_t n, const Columns *x,
                          size_t first, size_t column, size_t cols, float *y, size_t stride) {
    size_t group = (size_t)f->group;
    for (size_t c = column; c < column + cols; c++, y += stride)
        for (size_t g = 0; g < n / group; g++) {
            const int16_t *halves = x->sum + (c * x->k + first + g * group) / 16;
            int sum = group == 16 ? halves[0] : halves[0] + halves[1];
            float d = x->d[(c * x->k + first + g * group) / 32];
            for (size_t r = 0; r < PANEL_ROWS; r++) {
                int product = group_product(panel, x->q + c * x->k + first, g * group, group, r) -
                              f->offset * sum;
                y[r] = fmaf((float)product, panel->scale[g][r] * d, y[r]);
                if (f->min) y[r] = fmaf((float)sum, panel->min[g][r] * d, y[r]);
            }
        }
}
