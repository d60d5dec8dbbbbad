/* linear.h - y = W x + b, for n vectors at once. */
#ifndef STRATA_LINEAR_H
#define STRATA_LINEAR_H

#include "linalg.h"

/* A linear map: a matrix and perhaps a bias.  Not there at all when w.data is NULL. */
typedef struct Linear {
    Tensor w;                    /* (out, in), any computable format */
    const float *bias;           /* (out); NULL: none */
    const PackedWeights *packed; /* the same matrix, rearranged; NULL: as it is */
} Linear;

/* y[c] = W x[c] + bias.
 *
 *   x      (n, in)     read
 *   y      (n, out)    written
 *   scratch            matmul_weights_bytes(n, in); NULL will do for plain weights */
void linear(Pool *pool, const Linear *map, const float *x, size_t n, float *y, void *scratch);

/* Several maps of the same x, y[i] for map i: what a loop over linear() gives, but x is rounded
 * once and threads wait for each other once.  Needs 1 to LINEAR_TOGETHER maps. */
enum { LINEAR_TOGETHER = 4 };
void linear_together(Pool *pool, size_t count, const Linear *const *maps, const float *x,
                     size_t n, float *const *y, void *scratch);

/* linear for f32 weights, through the packed product; the form training uses.
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
