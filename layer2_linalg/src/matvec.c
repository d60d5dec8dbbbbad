/* matvec.c - stored weights times one vector or many: rows are divided among threads, each output is one sum.  See
 * matmul.h. */
#include "kernels.h"
#include "matmul.h"
#include "smaller.h"

#include <string.h>

#define COLUMN_BLOCK 24 /* columns whose inputs stay in the L2 cache while rows stream by */

typedef struct WeightsTask {
    const Tensor *w;
    const PackedWeights *packed; /* NULL: as they lie in the file */
    const float *x;
    size_t n;
    float *y;
    Columns columns; /* x in bytes, for quantized weights */
} WeightsTask;

/* The rows begin .. end-1 of the output, for all columns. */
static void plain_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const WeightsTask *t = context;
    size_t in = t->w->shape[1], out = t->w->shape[0],
           row_bytes = dtype_row_bytes(t->w->dtype, in);
    const char *rows = (const char *)t->w->data + begin * row_bytes;
    for (size_t c = 0; c < t->n; c += COLUMN_BLOCK)
        kernels_tile(t->w->dtype)(rows, row_bytes, end - begin, t->x + c * in, in,
                                  smaller(COLUMN_BLOCK, t->n - c), in, t->y + c * out + begin,
                                  out);
}

static void round_columns(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const WeightsTask *t = context;
    for (size_t c = begin; c < end; c++) columns_round(&t->columns, c, t->x + c * t->columns.k);
}

/* The panel of up to 16 rows from `row` on, and the weights k .. k+n-1 of each. */
static void read_panel(const WeightsTask *t, size_t row, size_t k, size_t n, Panel *panel) {
    size_t in = t->w->shape[1], rows = t->w->shape[0] - row;
    if (t->packed) {
        packed_panel(t->packed, row, k / LEVELS_CHUNK, panel);
        return;
    }
    const char *w = (const char *)t->w->data + row * dtype_row_bytes(t->w->dtype, in);
    panel_read(panel, quant_format(t->w->dtype), w + dtype_row_bytes(t->w->dtype, k),
               dtype_row_bytes(t->w->dtype, in), smaller(rows, PANEL_ROWS), n);
}

enum {
    PANELS = 2, /* side by side: each input read serves both */
    SUMS = 128  /* columns whose sums stay in the L1 cache while the weights go by */
};

/* Up to 32 rows with some columns.  The sums are kept aside: in y they lie far apart, where a cache has few places. */
static void quantized_tile(const WeightsTask *t, size_t row, size_t column, size_t cols) {
    const Columns *x = &t->columns;
    size_t out = t->w->shape[0], rows = smaller(out - row, PANELS * PANEL_ROWS),
           count = (rows + PANEL_ROWS - 1) / PANEL_ROWS;
    float sums[PANELS * SUMS][PANEL_ROWS];
    Panel panels[PANELS];
    memset(sums, 0, count * cols * sizeof *sums);
    for (size_t k = 0; k < x->k; k += LEVELS_CHUNK) {
        size_t n = smaller(LEVELS_CHUNK, x->k - k), at = k * x->n + column * LEVELS_CHUNK;
        for (size_t p = 0; p < count; p++)
            read_panel(t, row + p * PANEL_ROWS, k, n, &panels[p]);
        kernels()->panel_product(panels, count, quant_format(t->w->dtype), n, x->q + at,
                                 x->d + at / 32, x->sum + at / 16, cols, sums);
    }
    for (size_t r = 0; r < rows; r += PANEL_ROWS)
        for (size_t c = 0; c < cols; c++)
            memcpy(t->y + (column + c) * out + row + r, sums[r / PANEL_ROWS * cols + c],
                   smaller(rows - r, PANEL_ROWS) * sizeof **sums);
}

static void quantized_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const WeightsTask *t = context;
    for (size_t row = begin; row < end; row += PANELS * PANEL_ROWS)
        for (size_t c = 0; c < t->n; c += SUMS)
            quantized_tile(t, row, c, smaller(SUMS, t->n - c));
}

/* The same with one column and packed weights, which need no panel. */
static void packed_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const WeightsTask *t = context;
    float y[PANEL_ROWS];
    for (size_t row = begin; row < end; row += PANEL_ROWS) {
        packed_product(t->packed, row, &t->columns, y);
        memcpy(t->y + row, y, smaller(end - row, PANEL_ROWS) * sizeof *y);
    }
}

size_t matmul_weights_bytes(size_t n, size_t in) { return columns_bytes(n, in); }

void matmul_weights(Pool *pool, const Tensor *w, const PackedWeights *packed, const float *x,
                    size_t n, float *y, void *scratch) {
    REQUIRE(w->ndim == 2, "a weight matrix has 2 dimensions, not %d", w->ndim);
    WeightsTask task = {.w = w, .packed = packed, .x = x, .n = n, .y = y};
    if (!quant_format(w->dtype)) {
        pool_for(pool, w->shape[0], 24, plain_rows, &task);
        return;
    }
    REQUIRE(scratch, "no room to round the inputs of a product with %s weights",
            dtype_name(w->dtype));
    task.columns = columns_in(scratch, n, w->shape[1]);
    pool_for(pool, n, 4, round_columns, &task);
    if (packed && n == 1)
        pool_for(pool, w->shape[0], PANEL_ROWS, packed_rows, &task);
    else
        pool_for(pool, w->shape[0], 4 * PANEL_ROWS, quantized_rows, &task);
}

void matvec(Pool *pool, const Tensor *w, const float *x, float *y, void *scratch) {
    matmul_weights(pool, w, NULL, x, 1, y, scratch);
}
