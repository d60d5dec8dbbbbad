/* quantized.c - see quantized.h and panel.h.  The scalar version of everything. */
#include "formats/levels.h"
#include "simd/ask.h"
#include "kernel_table.h"

static const QuantFormat formats[DTYPE_COUNT] = {
    /*                 read         group  offset  span  min    scales      entries */
    [DTYPE_Q4_0] = {levels_q4_0, 32, 8, 15, false, SCALE_F16, NULL},
    [DTYPE_Q4_1] = {levels_q4_1, 32, 0, 15, true, SCALE_F16, NULL},
    [DTYPE_Q5_0] = {levels_q5_0, 32, 16, 31, false, SCALE_F16, NULL},
    [DTYPE_Q5_1] = {levels_q5_1, 32, 0, 31, true, SCALE_F16, NULL},
    [DTYPE_Q8_0] = {levels_q8_0, 32, 0, 0, false, SCALE_F16, NULL},
    [DTYPE_MXFP4] = {levels_mxfp4, 32, 12, 24, false, SCALE_BF16, mxfp4_entries},
    [DTYPE_IQ4_NL] = {levels_iq4_nl, 32, 0, 0, false, SCALE_F16, iq4_entries},
    [DTYPE_IQ4_XS] = {levels_iq4_xs, 32, 0, 0, false, SCALE_TIMES, iq4_entries},
    [DTYPE_Q2_K] = {levels_q2_k, 16, 0, 3, true, SCALE_TIMES, NULL},
    [DTYPE_Q3_K] = {levels_q3_k, 16, 4, 7, false, SCALE_TIMES, NULL},
    [DTYPE_Q4_K] = {levels_q4_k, 32, 0, 15, true, SCALE_TIMES, NULL},
    [DTYPE_Q5_K] = {levels_q5_k, 32, 0, 31, true, SCALE_TIMES, NULL},
    [DTYPE_Q6_K] = {levels_q6_k, 16, 32, 63, false, SCALE_TIMES, NULL},
    [DTYPE_IQ1_S] = {levels_iq1_s, 32, 9, 18, false, SCALE_TIMES, iq1_entries},
    [DTYPE_IQ1_M] = {levels_iq1_m, 16, 9, 18, false, SCALE_TIMES, iq1_entries},
    [DTYPE_IQ2_XXS] = {levels_iq2_xxs, 32, 43, 86, false, SCALE_TIMES, iq2_entries},
    [DTYPE_IQ2_XS] = {levels_iq2_xs, 16, 43, 86, false, SCALE_TIMES, iq2_entries},
    [DTYPE_IQ2_S] = {levels_iq2_s, 16, 43, 86, false, SCALE_TIMES, iq2_entries},
    [DTYPE_IQ3_XXS] = {levels_iq3_xxs, 32, 62, 124, false, SCALE_TIMES, iq3_xxs_entries},
    [DTYPE_IQ3_S] = {levels_iq3_s, 32, 15, 30, false, SCALE_TIMES, iq3_s_entries},
    [DTYPE_TQ1_0] = {levels_tq1_0, 32, 1, 2, false, SCALE_TIMES, NULL},
    [DTYPE_TQ2_0] = {levels_tq2_0, 32, 1, 3, false, SCALE_TIMES, NULL},
};

const QuantFormat *quant_format(Dtype dtype) {
    return dtype < DTYPE_COUNT && formats[dtype].read ? &formats[dtype] : NULL;
}

static size_t pieces_of(size_t k) { return (k + LEVELS_CHUNK - 1) / LEVELS_CHUNK; }

size_t columns_bytes(size_t n, size_t k) {
    return n * pieces_of(k) *
           (LEVELS_CHUNK + LEVELS_CHUNK / 32 * sizeof(float) +
            LEVELS_CHUNK / 16 * sizeof(int16_t));
}

Columns columns_in(void *memory, size_t n, size_t k) {
    Columns c = {.n = n, .k = k, .d = memory};
    c.sum = (void *)(c.d + n * pieces_of(k) * (LEVELS_CHUNK / 32));
    c.q = (int8_t *)(c.sum + n * pieces_of(k) * (LEVELS_CHUNK / 16));
    return c;
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
float round_block_scalar(const float *restrict x, int8_t *restrict q, int16_t *sum) {
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
    RoundBlock *round = kernels()->round_block;
    for (size_t k = 0; k < columns->k; k += 32) {
        size_t at = columns_at(columns, column, k);
        columns->d[at / 32] = round(x + k, columns->q + at, columns->sum + at / 16);
    }
}

void panel_turn_scalar(const Levels levels[PANEL_ROWS], int8_t q[PANEL_QUADS][PANEL_ROWS][4]) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad++)
        for (size_t r = 0; r < PANEL_ROWS; r++) memcpy(q[quad][r], levels[r].q + 4 * quad, 4);
}

float levels_scale(const QuantFormat *f, const Levels *levels, size_t g) {
    return f->scales == SCALE_TIMES ? levels->d[0] * (float)levels->times[g] : levels->d[g];
}

float levels_min(const QuantFormat *f, const Levels *levels, size_t g) {
    return f->scales == SCALE_TIMES ? levels->dmin[0] * (float)levels->min_times[g]
                                    : levels->dmin[g];
}

/* The levels of 16 rows; where there are fewer, the last one again.  Rows are read in turns, a
 * piece of each: too little at a time for the processor to see that each goes on, so what comes
 * next is asked for. */
static void read_rows(const QuantFormat *format, const void *w, size_t stride, size_t rows,
                      size_t n, Levels levels[PANEL_ROWS]) {
    for (size_t r = 0; r < PANEL_ROWS; r++) {
        const char *row = (const char *)w + (r < rows ? r : rows - 1) * stride;
        ask_for(row + 256, 320);
        format->read(row, n, &levels[r]);
    }
}

void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n) {
    Levels levels[PANEL_ROWS];
    read_rows(format, w, stride, rows, n, levels);
    kernels()->panel_turn(levels, panel->own);
    panel->q = (const int8_t(*)[PANEL_ROWS][4])panel->own;
    for (size_t g = 0; g < n / (size_t)format->group; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            panel->scale[g][r] = levels_scale(format, &levels[r], g);
            if (format->min) panel->min[g][r] = levels_min(format, &levels[r], g);
        }
}

/* One group of one row with one column: 16 or 32 products. */
static int group_product(const Panel *panel, const int8_t *q, size_t first, size_t count,
                         size_t row) {
    int sum = 0;
    for (size_t k = first; k < first + count; k++) sum += panel->q[k / 4][row][k % 4] * q[k];
    return sum;
}

/* y[r] += 16 rows times one column. */
static void column_product(const Panel *panel, const QuantFormat *f, size_t n, const int8_t *q,
                           const float *d, const int16_t *sum, float y[PANEL_ROWS]) {
    size_t group = (size_t)f->group;
    for (size_t g = 0; g < n / group; g++) {
        int inputs = group == 16 ? sum[g] : sum[2 * g] + sum[2 * g + 1];
        float scale = d[g * group / 32];
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            int product = group_product(panel, q, g * group, group, r) - f->offset * inputs;
            y[r] = fmaf((float)product, panel->scale[g][r] * scale, y[r]);
            if (f->min) y[r] = fmaf((float)inputs * scale, panel->min[g][r], y[r]);
        }
    }
}

void panel_product_scalar(const Panel *panels, size_t count, const QuantFormat *f, size_t n,
                          const int8_t *q, const float *d, const int16_t *sum, size_t cols,
                          float (*y)[PANEL_ROWS]) {
    for (size_t p = 0; p < count; p++)
        for (size_t c = 0; c < cols; c++)
            column_product(panels + p, f, n, q + LEVELS_CHUNK * c, d + 8 * c, sum + 16 * c,
                           y[p * cols + c]);
}
