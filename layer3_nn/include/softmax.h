/* softmax.h - scores to probabilities.
 *
 * Invariant: the outputs are in [0, 1] and sum to 1 within rounding; a score of -infinity gets
 * 0 [softmax_and_gradient]. */
#ifndef STRATA_SOFTMAX_H
#define STRATA_SOFTMAX_H

#include "linalg.h"

/* Turn scores into probabilities.
 *
 *     out[i] = exp(x[i] - max x) / sum_j exp(x[j] - max x)
 *
 * Subtracting the maximum changes nothing in exact arithmetic and keeps exp from overflowing.
 *
 *   out   (n)   written; may be x itself
 *   x     (n)   read
 *
 * Needs    n > 0 and at least one score above -infinity; NaN in gives NaN out.
 * Cost     n exponentials; reads x twice and out twice [softmax_reads_twice].
 * Source   Bridle 1990, doi:10.1007/978-3-642-76153-9_28. */
void softmax(float *out, const float *x, size_t n);

/* The gradient through softmax.
 *
 *     dx[i] = y[i] * (dy[i] - sum_j y[j] dy[j])
 *
 *   dx   (n)   written; may be dy itself
 *   y    (n)   what softmax returned
 *   dy   (n)   gradient of the loss with respect to y */
void softmax_backward(float *dx, const float *y, const float *dy, size_t n);

#endif
