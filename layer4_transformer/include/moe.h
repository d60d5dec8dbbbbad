/* moe.h - a mixture of experts: many feed-forward networks, and a router that chooses a few of them
 * for each token.
 *
 *     tokens          t0       t1       t2
 *     their experts   2, 5     2, 7     7, 5
 *
 *     rows            t0 t1  |  t0 t2  |  t1 t2
 *     of expert         2         5         7          each expert's weights are read once for all who chose it
 *
 * Each token has one row for each of its experts.  Rows of an expert stand together, so that it is
 * a product of matrices like any other; then each token takes back its own rows and adds them up,
 * weighted, in the order in which it chose.
 *
 * Invariant: a token's output does not depend on who else chose its experts.
 * Source   Shazeer et al. 2017, arXiv:1701.06538; Jiang et al. 2024, arXiv:2401.04088, sec. 2.1 (the softmax of the chosen). */
#ifndef STRATA_MOE_H
#define STRATA_MOE_H

#include "ffn.h"

enum { MOE_EXPERTS = 512 }; /* at most */

/* out (n, dim) = the mixture for each row of x (n, dim).  Needs ffn->router. */
void mixture(Pool *pool, const FeedForward *ffn, const float *x, size_t n, float *out,
             FfnRun *run);

#endif
