/* moe.h - a mixture of experts: many feed-forward networks, and a router that chooses a few of them
 * for each token.
 *
 *     scores = router x                 one for each expert
 *     p      = softmax or sigmoid of them
 *     chosen = the `used` largest of p (+ a bias that acts on the choice only; in the best groups only)
 *     out    = sum over the chosen of p_e * expert_e(x)  (+ a shared network)
 *
 * Experts may read and answer a shorter row than the router: out = up (sum p_e expert_e(down x)).
 *
 *     tokens          t0       t1       t2
 *     their experts   2, 5     2, 7     7, 5
 *
 *     rows            t0 t1  |  t0 t2  |  t1 t2
 *     of expert         2         5         7          each expert's weights are read once for all its tokens
 *
 * Each token has one row for each of its experts.  Rows of an expert stand together, so that it is
 * a product of matrices like any other; then each token takes back its own rows and adds them up,
 * weighted, in the order in which it chose.
 *
 * Invariant: a token's output does not depend on which experts other tokens chose.
 * Source   Shazeer et al. 2017, arXiv:1701.06538; Jiang et al. 2024, arXiv:2401.04088, sec. 2.1 (softmax of the
 *          chosen); Dai et al. 2024, arXiv:2401.06066 (shared experts); DeepSeek 2024, arXiv:2412.19437, sec. 2.1.2
 *          (sigmoid, selection bias, groups); NVIDIA 2025, Nemotron 3 (latent experts). */
#ifndef STRATA_MOE_H
#define STRATA_MOE_H

#include "ffn.h"

enum { MOE_EXPERTS = 512 }; /* at most */

/* out (n, dim) = the experts applied to each row of x (n, dim), which router and experts norm where they have
 * norms of their own.  Needs ffn->router. */
void moe_forward(Pool *pool, const FeedForward *ffn, const float *x, size_t n, float *out,
                 FfnRun *run);

/* The experts of one token: score (experts) is the output of router->map, and is overwritten. */
void moe_choose(const Router *router, float *score, ExpertChoice *choice);

#endif
