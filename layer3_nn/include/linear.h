/* linear.h - y = W x + b, for n vectors at once. */
#ifndef STRATA_LINEAR_H
#define STRATA_LINEAR_H

#include "linalg.h"
#include "low_rank.h"

struct LinearProduct;

/* Computes a map in linear_products' place (extras: vision/bounds.c). */
typedef struct LinearOwn {
    void (*rows)(const struct LinearOwn *own, Pool *pool, const struct LinearProduct *product,
                 const float *x, void *scratch);
} LinearOwn;

/* A linear map: a matrix and perhaps a bias.  w.data NULL: no map. */
typedef struct Linear {
    Tensor w;                    /* (out, in), any computable format */
    const float *scale;          /* (1) the matrix is multiplied by it; NULL: 1 */
    const float *bias;           /* (out); NULL: none */
    const PackedWeights *packed; /* the same matrix repacked; NULL: as in the file */
    const LowRank *adapters;     /* added to it; NULL: none */
    const LinearOwn *own;        /* how it is computed; NULL: as below */
} Linear;

/* One map of rows first .. first+n-1 of x; y (n, out). */
typedef struct LinearProduct {
    const Linear *map;
    size_t first, n;
    float *y;
} LinearProduct;

/* Scratch for products with up to `rows` rows of up to `in` numbers. */
size_t linear_scratch_bytes(size_t rows, size_t in);

enum { LINEAR_PRODUCTS = 1024 };

/* Several maps, each applied to some rows of the same x.  Every product with weights goes
 * through this function.
 *
 *     y[c] = scale W x[c] + bias + adapters
 *
 *   products   (count) 1 to LINEAR_PRODUCTS; their results do not overlap
 *   x          (rows, in)   read; rounded once for all products
 *   scratch    linear_scratch_bytes(rows, in); NULL is enough for plain formats */
void linear_products(Pool *pool, const LinearProduct *products, size_t count, const float *x,
                     size_t rows, void *scratch);

/* One map and n rows, the common case. */
void linear(Pool *pool, const Linear *map, const float *x, size_t n, float *y, void *scratch);

/* Map `e` of a stack: w (count, out, in), scale (count), bias (count, out), packed (count). */
Linear linear_of_stack(const Linear *stack, size_t e);

/* linear for f32 weights, by the packed product; for training.
 *
 *   scratch   matmul_scratch_floats(threads, max(in, out)) */
void linear_dense(Pool *pool, const float *w, size_t out, size_t in, const float *x, size_t n,
                  float *y, float *scratch);

/* The gradients through linear_dense:   dx (+)= dy W      dw += dy^T x
 *
 *   dx       (n, in)     written, or added to when add_dx
 *   dw       (out, in)   added to
 *   dy       (n, out)    read */
void linear_backward(Pool *pool, float *dx, bool add_dx, float *dw, const float *w, size_t out,
                     size_t in, const float *x, const float *dy, size_t n, float *scratch);

#endif
