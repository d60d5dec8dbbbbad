/* matmul_packed.c - the packed product.  See matmul.h for the picture.
 *
 * Loops from the outside in: columns in tiles of NC; the inner dimension in tiles of KC
 * (partial sums pass through C, which changes no bit), with B packed once for all threads; rows
 * in tiles of MC, each packed by the thread that takes it; then the micro-kernel.
 *
 *     KC x NR of B stays in L1,  MC x KC of A in L2,  KC x NC of B in L3. */
#include "kernels/kernel_table.h"
#include "matmul.h"
#include "simd/hints.h"
#include "size.h"

#include <string.h>

/* MC and NC are multiples of every kernel's rows and columns. */
enum { KC = 256, MC = 48, NC = 3072 };

typedef struct Packed {
    size_t m, n, k; /* of this tile; n <= NC, k <= KC */
    Matrix a, b;
    float *c, *panel_b, *panels_a;
    size_t ldc;
    bool add, upper; /* upper: not the tiles below C's diagonal */
    size_t column;   /* of C, where this tile begins */
    MicroKernel micro;
} Packed;

size_t matmul_scratch_floats(int threads, size_t n) {
    size_t columns = round_up(min_size(n, NC), MICRO_MAX_COLS);
    return KC * columns + (size_t)threads * KC * MC;
}

/* Copy a strip of `full` lanes into k-major order.  Inlined with a constant `full`, so that the
 * inner loop becomes a few moves. */
INLINE_OF()
void pack_full(const float *from, size_t lane_step, size_t k_step, size_t full, size_t k,
               float *to) {
    if (lane_step == 1)
        for (size_t p = 0; p < k; p++)
            memcpy(to + p * full, from + p * k_step, full * sizeof *to);
    else
        for (size_t p = 0; p < k; p++) UNROLL for (size_t i = 0; i < full; i++) {
                to[p * full + i] = from[p * k_step + i * lane_step];
            }
}

static void pack_lanes(const float *from, size_t lane_step, size_t k_step, size_t full,
                       size_t k, float *to) {
    switch (full) {
    case 4: pack_full(from, lane_step, k_step, 4, k, to); break;
    case 6: pack_full(from, lane_step, k_step, 6, k, to); break;
    case 8: pack_full(from, lane_step, k_step, 8, k, to); break;
    case 16: pack_full(from, lane_step, k_step, 16, k, to); break;
    default: pack_full(from, lane_step, k_step, full, k, to);
    }
}

void pack_rows_scalar(const float *from, size_t step, size_t lanes, size_t k, float *to) {
    pack_lanes(from, step, 1, lanes, k, to);
}

/* Copy a strip of `width` lanes, padded with zeros to `full`. */
static void pack_strip(const float *from, size_t lane_step, size_t k_step, size_t width,
                       size_t full, size_t k, float *to) {
    if (width < full) {
        memset(to, 0, full * k * sizeof *to);
        for (size_t p = 0; p < k; p++)
            for (size_t i = 0; i < width; i++)
                to[p * full + i] = from[p * k_step + i * lane_step];
        return;
    }
    if (k_step == 1 && lane_step != 1)
        kernels()->pack_rows(from, lane_step, full, k, to);
    else
        pack_lanes(from, lane_step, k_step, full, k, to);
}

static void pack_b(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Packed *t = context;
    size_t nr = t->micro.cols;
    for (size_t strip = begin; strip < end; strip++)
        pack_strip(t->b.data + strip * nr * t->b.col, t->b.col, t->b.row,
                   min_size(nr, t->n - strip * nr), nr, t->k, t->panel_b + strip * nr * t->k);
}

/* A tile at the border: computed whole in a buffer, and its part within C copied. */
static void border_tile(const Packed *t, const float *a, const float *b, float *c, size_t rows,
                        size_t cols) {
    float tile[MICRO_MAX_ROWS * MICRO_MAX_COLS] = {0};
    size_t nr = t->micro.cols;
    if (t->add)
        for (size_t i = 0; i < rows; i++)
            memcpy(tile + i * nr, c + i * t->ldc, cols * sizeof *c);
    t->micro.run(t->k, a, b, tile, nr, t->add);
    for (size_t i = 0; i < rows; i++) memcpy(c + i * t->ldc, tile + i * nr, cols * sizeof *c);
}

static void multiply_tile(const Packed *t, const float *panel_a, size_t row, size_t rows) {
    size_t mr = t->micro.rows, nr = t->micro.cols,
           below = t->upper && row > t->column ? (row - t->column) / nr * nr : 0;
    for (size_t j = below; j < t->n; j += nr)
        for (size_t i = 0; i < rows; i += mr) {
            const float *a = panel_a + i * t->k, *b = t->panel_b + j * t->k;
            float *c = t->c + (row + i) * t->ldc + j;
            if (i + mr <= rows && j + nr <= t->n)
                t->micro.run(t->k, a, b, c, t->ldc, t->add);
            else
                border_tile(t, a, b, c, min_size(mr, rows - i), min_size(nr, t->n - j));
        }
}

static void row_tiles(void *context, int worker, size_t begin, size_t end) {
    const Packed *t = context;
    size_t mr = t->micro.rows;
    float *panel_a = t->panels_a + (size_t)worker * KC * MC;
    for (size_t tile = begin; tile < end; tile++) {
        size_t row = tile * MC, rows = min_size(MC, t->m - row);
        for (size_t i = 0; i < rows; i += mr)
            pack_strip(t->a.data + (row + i) * t->a.row, t->a.row, t->a.col,
                       min_size(mr, rows - i), mr, t->k, panel_a + i * t->k);
        multiply_tile(t, panel_a, row, rows);
    }
}

static void all_tiles(Pool *pool, size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c,
                      size_t ldc, bool add, bool upper, float *scratch) {
    Packed t = {.m = m, .ldc = ldc, .upper = upper, .micro = kernels()->micro};
    size_t columns = round_up(min_size(n, NC), MICRO_MAX_COLS);
    t.panel_b = scratch;
    t.panels_a = scratch + KC * columns;
    for (size_t j = 0; j < n; j += NC)
        for (size_t p = 0; p < k || p == 0; p += KC) { /* also for k = 0: C becomes 0 */
            t.n = min_size(NC, n - j), t.k = min_size(KC, k - p);
            t.a = (Matrix){a.data + p * a.col, a.row, a.col};
            t.b = (Matrix){b.data + p * b.row + j * b.col, b.row, b.col};
            t.c = c + j, t.column = j;
            t.add = add || p > 0;
            pool_for(pool, div_up(t.n, t.micro.cols), 4, pack_b, &t);
            pool_for(pool, div_up(m, MC), 1, row_tiles, &t);
        }
}

void matmul_packed(Pool *pool, size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c,
                   size_t ldc, bool add, float *scratch) {
    all_tiles(pool, m, n, k, a, b, c, ldc, add, false, scratch);
}

/* Copy what is above the diagonal to below it, 16 columns at a time: a line of the cache. */
static void mirror_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Packed *t = context;
    float *c = t->c;
    for (size_t j = 0; j < end; j += 16)
        for (size_t i = max_size(begin, j + 1); i < end; i++)
            for (size_t p = j; p < min_size(i, j + 16); p++)
                c[i * t->ldc + p] = c[p * t->ldc + i];
}

void matmul_symmetric(Pool *pool, size_t n, size_t k, Matrix a, Matrix b, float *c,
                      float *scratch) {
    Packed t = {.c = c, .ldc = n};
    all_tiles(pool, n, n, k, a, b, c, n, false, true, scratch);
    pool_for(pool, n, MC, mirror_rows, &t);
}

/* a and b are k-major: a[p * MR + i], b[p * NR + j]. */
void micro_scalar(size_t k, const float *a, const float *b, float *c, size_t ldc, bool add) {
    enum { MR = MICRO_ROWS_scalar, NR = MICRO_COLS_scalar };
    float sum[MR][NR] = {{0}};
    for (int i = 0; add && i < MR; i++)
        for (int j = 0; j < NR; j++) sum[i][j] = c[(size_t)i * ldc + (size_t)j];
    for (size_t p = 0; p < k; p++)
        for (int i = 0; i < MR; i++)
            for (int j = 0; j < NR; j++)
                sum[i][j] += a[p * MR + (size_t)i] * b[p * NR + (size_t)j];
    for (int i = 0; i < MR; i++)
        for (int j = 0; j < NR; j++) c[(size_t)i * ldc + (size_t)j] = sum[i][j];
}
