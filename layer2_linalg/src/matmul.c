/* matmul.c - the two simple matrix products.  See matmul.h. */
#include "matmul.h"
#include "size.h"

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

/* Three tiles of 48 by 48, 27 kB, fit in the L1 cache.  Each c is still summed in ascending
 * p. */
void matmul_blocked(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                    bool add) {
    enum { TILE = 48 };
    for (size_t p = 0; p < k || p == 0; p += TILE)
        for (size_t i = 0; i < m; i += TILE)
            for (size_t j = 0; j < n; j += TILE) {
                Matrix a_tile = {a.data + i * a.row + p * a.col, a.row, a.col};
                Matrix b_tile = {b.data + p * b.row + j * b.col, b.row, b.col};
                matmul_naive(min_size(TILE, m - i), min_size(TILE, n - j),
                             min_size(TILE, k - p), a_tile, b_tile, c + i * ldc + j, ldc,
                             add || p > 0);
            }
}
