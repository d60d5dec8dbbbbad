/* matmul.h - matrix products, from three loops to packed panels.
 *
 * Two kinds of product, for two uses:
 *
 *   weights     y[c][r] = dot(w[r], x[c]): a stored weight matrix of any format times some
 *               inputs (one, in decoding).  Threads divide the rows; each output is one sum in
 *               the order of dot.h or panel.h.
 *   f32, dense  C = A B with strides for both: naive, blocked, packed.  Used by training.
 *
 * Invariant: the order of an output's sum depends only on the length of the inner dimension:
 * not on threads, nor on how many inputs are computed together
 * [threads_and_company_change_nothing]. */
#ifndef STRATA_MATMUL_H
#define STRATA_MATMUL_H

#include "packed.h"

/* y = w x for one vector.
 *
 *   w   (out, in)   any computable format; rows contiguous, at any stride; not a transpose
 *   x   (in)        read
 *   y   (out)       written */
void matvec(Pool *pool, const Tensor *w, const float *x, float *y, void *scratch);

/* y[c] = w x[c] for n inputs.
 *
 *   packed          the same weights repacked, which is faster; NULL: as in the file
 *   x   (n, in)     read
 *   y   (n, out)    written
 *   scratch         matmul_weights_bytes(n, in), where x is rounded: for quantized weights
 *                   (panel.h), and, if there are many inputs, for BF16 weights on processors
 *                   that multiply these.  NULL is enough for plain ones, only slower
 *
 * Flops    2 * n * out * in.
 * Cost     reads quantized weights once per 128 inputs, plain ones at most once per input
 *          [weights_are_read_as_often_as_said]. */
void matmul_weights(Pool *pool, const Tensor *w, const PackedWeights *packed, const float *x,
                    size_t n, float *y, void *scratch);
size_t matmul_weights_bytes(size_t n, size_t in);

/* One of several products with the same input: y[c] = w x[first + c]. */
typedef struct WeightsProduct {
    const Tensor *w;             /* (out, in) */
    const PackedWeights *packed; /* as above */
    size_t first, n;             /* its inputs */
    float *y;                    /* (n, out) */
} WeightsProduct;

/* Several matrices times the same inputs: x is rounded once, and threads synchronize once.
 *
 *   x   (n, in)     all matrices have the same `in`
 *   scratch         matmul_weights_bytes(n, in) */
void matmul_products(Pool *pool, const WeightsProduct *products, size_t count, const float *x,
                     size_t n, void *scratch);

/* Computes products in this function's place, or returns false; NULL: nothing does (extras:
 * machines.h).  matmul_products_here does not ask it. */
typedef bool MatmulElsewhere(Pool *pool, const WeightsProduct *products, size_t count,
                             const float *x, size_t n, void *scratch);
extern MatmulElsewhere *matmul_elsewhere;
void matmul_products_here(Pool *pool, const WeightsProduct *products, size_t count,
                          const float *x, size_t n, void *scratch);

/* A matrix of f32 with free strides: element (i, j) at data[i * row + j * col]. */
typedef struct Matrix {
    const float *data;
    size_t row, col; /* floats */
} Matrix;

/* C (m, n; row-major, rows ldc floats apart) = A (m, k) B (k, n), or C += A B.
 *
 * naive: three loops; each sum is a float that adds its products in ascending order.  blocked:
 * the same bits, in tiles of 48 by 48 that stay in the cache [every_shape_and_stride]. */
void matmul_naive(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                  bool add);
void matmul_blocked(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                    bool add);

/* packed: A and B are copied into panels, in the order in which the micro-kernel reads them.
 *
 *        k                   k                    one panel of A: MR rows, k-major
 *      +-----+     n       +---+                  one panel of B: NR columns, k-major
 *    m | A   |  *  ...     | B | k
 *      +-----+             +---+
 *
 *   scratch   matmul_scratch_floats(threads, n) floats
 *
 * Source   Goto & van de Geijn 2008, doi:10.1145/1356052.1356053. */
void matmul_packed(Pool *pool, size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c,
                   size_t ldc, bool add, float *scratch);
size_t matmul_scratch_floats(int threads, size_t n);

/* C (n, n) = A B, known to be symmetric: X X', or the square of a symmetric matrix.  Tiles
 * below the diagonal are copied from those above it, not computed: the same bits as
 * matmul_packed's in little more than half of the time [symmetric_products_are_mirrored]. */
void matmul_symmetric(Pool *pool, size_t n, size_t k, Matrix a, Matrix b, float *c,
                      float *scratch);

#endif
