/* norm.h - keep vectors at a constant scale, so that layers can be stacked. */
#ifndef STRATA_NORM_H
#define STRATA_NORM_H

#include "linalg.h"

typedef enum NormKind { NORM_NONE, NORM_RMS, NORM_LAYER } NormKind;

/* A norm over a whole row, or over each head of it.
 *
 *     width = dim          one norm over the row                gain (dim)
 *     width = head_dim     each head by itself, one gain        gain (head_dim)
 *     ... own_gain         each head by itself, own gains       gain (heads, head_dim)
 *
 * The last one with NORM_LAYER is group normalization (RWKV 7): Wu & He 2018,
 * arXiv:1803.08494. */
typedef struct Norm {
    NormKind kind; /* NORM_NONE: no norm */
    size_t width;  /* numbers normalized together */
    bool own_gain;
    float eps;
    const float *gain, *bias; /* NULL: none */
} Norm;

/* out (n) = the norm of x (n); out may be x.  Needs n a multiple of width. */
void norm_apply(const Norm *norm, float *out, const float *x, size_t n);

/* 1 / sqrt(mean(x^2) + eps): what rms_norm multiplies by.  Needs dim > 0. */
float inverse_rms(const float *x, size_t dim, float eps);

/* Rescale a vector to a root mean square of 1, then by a learned gain.
 *
 *     out[i] = x[i] / sqrt(mean(x^2) + eps) * gain[i]
 *
 *   out    (dim)   written; may be x itself
 *   x      (dim)   read
 *   gain   (dim)   read; the learned weight; NULL: 1
 *   eps            keeps the division finite; 1e-5 in Llama 2, 1e-6 in Gemma
 *
 * Needs    dim > 0.
 * Flops    4 dim.
 * Cost     reads x twice [norms_read_twice].
 * Source   Zhang & Sennrich 2019, arXiv:1910.07467, eq. 4. */
void rms_norm(float *out, const float *x, const float *gain, size_t dim, float eps);

/* Rescale a vector to length 1.
 *
 *     x[i] = x[i] / max(|x|, min)
 *
 *   x      (dim)   written
 *   min            lower bound for |x|, so that zero stays zero; > 0
 *
 * Flops    3 dim.
 * Cost     reads x twice [norms_read_twice]. */
void l2_norm(float *x, size_t dim, float min);

/* The gradient through l2_norm.  With y = x / |x|, the component of dy along y drops out,
 * because |y| is always 1:
 *
 *     dx = (dy - y (y . dy)) / |x|          dy / min if x is shorter than that
 *
 *   dx   (dim)   written; may be dy
 *   x    (dim)   the input of l2_norm */
void l2_norm_backward(float *dx, const float *x, const float *dy, size_t dim, float min);

/* Shift a vector to mean 0 and rescale it to variance 1, then apply a learned gain and bias.
 *
 *     out[i] = (x[i] - mean x) / sqrt(var x + eps) * gain[i] + bias[i]
 *
 *   gain   (dim)   read; NULL: 1
 *   bias   (dim)   read; NULL: 0
 *
 * Source   Ba, Kiros & Hinton 2016, arXiv:1607.06450, eq. 4. */
void layer_norm(float *out, const float *x, const float *gain, const float *bias, size_t dim,
                float eps);

/* norm_apply to each row of x (rows, dim); out may be x. */
void norm_apply_rows(Pool *pool, const Norm *norm, float *out, const float *x, size_t rows,
                     size_t dim);

/* The gradients through rms_norm.  With r = 1 / sqrt(mean(x^2) + eps):
 *
 *     dgain[i] += dy[i] * x[i] * r
 *     dx[i]    += r * gain[i] * dy[i]  -  x[i] * r^3 / dim * sum_j dy[j] gain[j] x[j]
 *
 *   gain    (dim)   not NULL, unlike rms_norm's
 *   dx      (dim)   added to
 *   dgain   (dim)   added to */
void rms_norm_backward(float *dx, float *dgain, const float *x, const float *gain,
                       const float *dy, size_t dim, float eps);

#endif
