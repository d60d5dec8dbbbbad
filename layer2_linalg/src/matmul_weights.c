/* matmul_weights.c - stored weights times one vector or many; see matmul.h. */
#include "simd/hints.h"
#include "convert.h"
#include "dot.h"
#include "kernels/kernel_table.h"
#include "matmul.h"
#include "size.h"

#include <string.h>

enum {
    STRIPS = 2, /* of 16 packed rows in a chunk: some kernels read several side by side */
    PANELS = 2, /* side by side: each input serves both */
    SUMS = 128, /* inputs whose sums of a panel stay in the L1 cache */
    LATER = 8   /* inputs: how far ahead y is prefetched */
};

/* Products with the same inputs: one loop over the rows of all. */
typedef struct Work {
    const WeightsProduct *products;
    const float *x;
    Inputs inputs;     /* x as bytes, for quantized weights */
    uint16_t *rounded; /* x in BF16, where many inputs meet such weights; NULL: not made */
} Work;

static DotTile *plain_tile(Dtype dtype) {
    if (dtype == DTYPE_F32) return kernels()->dot_tile_f32;
    if (dtype == DTYPE_F16) return kernels()->dot_tile_f16;
    REQUIRE(dtype == DTYPE_BF16, "no dot product for %s", dtype_name(dtype));
    return kernels()->dot_tile_bf16;
}

static void plain_rows(const Work *t, const WeightsProduct *p, size_t begin, size_t end) {
    size_t in = p->w->shape[1], out = p->w->shape[0];
    plain_tile(p->w->dtype)(
        &(DotTask){.w = tensor_row(p->w, begin),
                   .w_stride = p->w->stride[0],
                   .rows = end - begin,
                   .x = t->x + p->first * in,
                   .rounded = t->rounded ? t->rounded + p->first * in : NULL,
                   .x_stride = in,
                   .cols = p->n,
                   .n = in,
                   .y = p->y + begin,
                   .y_stride = out});
}

/* Copy a panel's sums to y; only the last panel has fewer rows.  A copy of constant length is
 * two instructions. */
static void store_rows(float *y, const float sums[PANEL_ROWS], size_t rows) {
    if (rows < PANEL_ROWS)
        memcpy(y, sums, rows * sizeof *y);
    else
        memcpy(y, sums, PANEL_ROWS * sizeof *y);
}

/* One input times packed weights: no panel. */
static void packed_rows(const Work *t, const WeightsProduct *p, size_t begin, size_t end) {
    float y[STRIPS][PANEL_ROWS];
    size_t strips = div_up(end - begin, PANEL_ROWS);
    kernels()->rows_product(p->packed->format, packed_tile_at(p->packed, begin, 0), strips,
                            &t->inputs, p->first, y);
    for (size_t row = begin; row < end; row += PANEL_ROWS)
        store_rows(p->y + row, y[(row - begin) / PANEL_ROWS], end - row);
}

/* The panel of up to 16 rows from `row` on, weights k .. k+n-1. */
static void read_panel(const WeightsProduct *p, size_t row, size_t k, size_t n, Panel *panel) {
    size_t rows = p->w->shape[0] - row;
    if (p->packed) {
        kernels()->panel_unpack(p->packed->format,
                                packed_tile_at(p->packed, row, k / PANEL_COLS), panel);
        return;
    }
    const char *w = tensor_row(p->w, row);
    panel_read(panel, quant_format(p->w->dtype), w + dtype_row_bytes(p->w->dtype, k),
               p->w->stride[0], min_size(rows, PANEL_ROWS), n);
}

/* Up to 32 rows by some inputs.  The sums are kept in a buffer, because in y they are far apart
 * and would share few cache sets. */
static void quantized_tile(const Inputs *x, const WeightsProduct *p, size_t row, size_t column,
                           size_t cols) {
    size_t out = p->w->shape[0], rows = min_size(out - row, PANELS * PANEL_ROWS),
           count = div_up(rows, PANEL_ROWS);
    float sums[PANELS * SUMS][PANEL_ROWS];
    Panel panels[PANELS];
    memset(sums, 0, count * cols * sizeof *sums);
    for (size_t k = 0; k < x->k; k += PANEL_COLS) {
        InputTile in = input_tile(x, p->first + column, cols, k);
        for (size_t i = 0; i < count; i++)
            read_panel(p, row + i * PANEL_ROWS, k, in.n, &panels[i]);
        kernels()->panel_product(panels, count, quant_format(p->w->dtype), &in, sums);
    }
    for (size_t c = 0; c < cols; c++) {
        float *y = p->y + (column + c) * out + row;
        prefetch(y + LATER * out, rows * sizeof *y);
        for (size_t r = 0; r < rows; r += PANEL_ROWS)
            store_rows(y + r, sums[r / PANEL_ROWS * cols + c], rows - r);
    }
}

static void quantized_rows(const Work *t, const WeightsProduct *p, size_t begin, size_t end) {
    for (size_t row = begin; row < end; row += PANELS * PANEL_ROWS)
        for (size_t c = 0; c < p->n; c += SUMS)
            quantized_tile(&t->inputs, p, row, c, min_size(SUMS, p->n - c));
}

/* A way to compute rows of a product: `chunks` times `grain` of them. */
typedef struct Method {
    void (*rows)(const Work *work, const WeightsProduct *product, size_t begin, size_t end);
    size_t grain, chunks;
} Method;

static Method method_for(const WeightsProduct *p) {
    Method m = {quantized_rows, 4 * PANEL_ROWS, 0};
    if (!quant_format(p->w->dtype))
        m = (Method){plain_rows, p->n == 1 ? 64 : 24, 0};
    else if (p->packed && p->n == 1)
        m = (Method){packed_rows, STRIPS * PANEL_ROWS, 0};
    m.chunks = p->n ? div_up(p->w->shape[0], m.grain) : 0;
    return m;
}

/* Chunks are numbered through all products. */
static void some_chunks(void *context, int worker, size_t begin, size_t end) {
    const Work *t = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const WeightsProduct *p = t->products;
        Method method = method_for(p);
        size_t chunk = i;
        for (; chunk >= method.chunks; method = method_for(++p)) chunk -= method.chunks;
        size_t row = chunk * method.grain;
        method.rows(t, p, row, min_size(row + method.grain, p->w->shape[0]));
    }
}

static void quantize_inputs(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Work *t = context;
    for (size_t c = begin; c < end; c++) quantize_input(&t->inputs, c, t->x + c * t->inputs.k);
}

/* For bytes, or for BF16 numbers: the instruction set in use then decides. */
size_t matmul_weights_bytes(size_t n, size_t in) {
    return max_size(inputs_bytes(n, in), n * in * sizeof(uint16_t));
}

static void round_some(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Work *t = context;
    const size_t in = t->products->w->shape[1];
    kernels()->round_inputs(t->x + begin * in, (end - begin) * in, t->rounded + begin * in);
}

void matmul_products_here(Pool *pool, const WeightsProduct *products, size_t count,
                          const float *x, size_t n, void *scratch) {
    PROFILE("weights");
    Work work = {.products = products, .x = x};
    size_t chunks = 0, most = 0;
    bool rounds = kernels()->round_inputs && scratch;
    for (size_t i = 0; i < count; i++) {
        const Tensor *w = products[i].w;
        const bool quantized = quant_format(w->dtype);
        REQUIRE(w->ndim == 2, "a weight matrix has 2 dimensions, not %d", w->ndim);
        REQUIRE(tensor_rows_are_contiguous(w), "a transposed matrix is multiplied row by row");
        REQUIRE(w->shape[1] == products->w->shape[1],
                "inputs of %zu and of %zu numbers at once", products->w->shape[1], w->shape[1]);
        REQUIRE(scratch || !quantized,
                "no room to round the inputs of a product with %s weights",
                dtype_name(w->dtype));
        chunks += method_for(&products[i]).chunks;
        if (quantized) work.inputs = inputs_view(scratch, n, w->shape[1]);
        rounds = rounds && w->dtype == DTYPE_BF16, most = max_size(most, products[i].n);
    }
    if (rounds && most >= DOT_PANEL_MIN) {
        work.rounded = scratch;
        pool_for(pool, n, 4, round_some, &work);
    }
    if (work.inputs.n) pool_for(pool, n, 4, quantize_inputs, &work);
    pool_for(pool, chunks, 1, some_chunks, &work);
}

MatmulElsewhere *matmul_elsewhere;

void matmul_products(Pool *pool, const WeightsProduct *products, size_t count, const float *x,
                     size_t n, void *scratch) {
    if (!matmul_elsewhere || !matmul_elsewhere(pool, products, count, x, n, scratch))
        matmul_products_here(pool, products, count, x, n, scratch);
}

void matmul_weights(Pool *pool, const Tensor *w, const PackedWeights *packed, const float *x,
                    size_t n, float *y, void *scratch) {
    matmul_products(pool, &(WeightsProduct){w, packed, 0, n, y}, 1, x, n, scratch);
}

void matvec(Pool *pool, const Tensor *w, const float *x, float *y, void *scratch) {
    matmul_weights(pool, w, NULL, x, 1, y, scratch);
}
