/* matmul.c - matrix products of stored weights, and the two simple dense ones.  See
 * matmul.h. */
#include "matmul.h"
#include "dot.h"

#define COLUMN_BLOCK 24 /* columns whose inputs stay in the L2 cache while rows stream by */

typedef struct WeightsTask {
    const Tensor *w;
    const float *x;
    size_t n;
    float *y;
} WeightsTask;

/* The rows begin .. end-1 of the output, for all columns. */
static void weights_rows(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const WeightsTask *t = context;
    size_t in = t->w->shape[1], out = t->w->shape[0],
           row_bytes = dtype_row_bytes(t->w->dtype, in);
    const char *rows = (const char *)t->w->data + begin * row_bytes;
    for (size_t c = 0; c < t->n; c += COLUMN_BLOCK) {
        size_t cols = t->n - c < COLUMN_BLOCK ? t->n - c : COLUMN_BLOCK;
        dot_rows(t->w->dtype, rows, row_bytes, end - begin, t->x + c * in, in, cols, in,
                 t->y + c * out + begin, out);
    }
}

void matmul_weights(Pool *pool, const Tensor *w, const float *x, size_t n, float *y) {
    REQUIRE(w->ndim == 2, "a weight matrix has 2 dimensions, not %d", w->ndim);
    WeightsTask task = {w, x, n, y};
    pool_for(pool, w->shape[0], 24, weights_rows, &task);
}

void matvec(Pool *pool, const Tensor *w, const float *x, float *y) {
    matmul_weights(pool, w, x, 1, y);
}

void matmul_naive(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                  bool add) {
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = add ? c[i * ldc + j] : 0;
            for (size_t p = 0; p < k; p++)
                sum += a.data[i * a.row + p * a.col] * b.data[p * b.row + j * b.col];
            c[i * ldc + j] = sum;
        }
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Tiles of 48: three of them, 27 kB, fit the L1 cache.  Each c is still one sum in ascending
 * p. */
void matmul_blocked(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                    bool add) {
    enum { TILE = 48 };
    for (size_t p = 0; p < k || p == 0; p += TILE)
        for (size_t i = 0; i < m; i += TILE)
            for (size_t j = 0; j < n; j += TILE) {
                Matrix a_tile = {a.data + i * a.row + p * a.col, a.row, a.col};
                Matrix b_tile = {b.data + p * b.row + j * b.col, b.row, b.col};
                matmul_naive(smaller(TILE, m - i), smaller(TILE, n - j), smaller(TILE, k - p),
                             a_tile, b_tile, c + i * ldc + j, ldc, add || p > 0);
            }
}
