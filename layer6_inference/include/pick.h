/* pick.h - the choices themselves, on plain arrays: the best, the best k, those that make up a
 * mass, one drawn by weight.
 *
 *     logits   2.5   -1     4    2.5            ids    7   3   0   5   (NULL: 0, 1, ...)
 *               |     |     |     |
 *     order    3rd   4th   1st   2nd            larger logits first, of equal ones the lower id
 *
 * candidates.h narrows the candidates down first; these functions look at what is left.  An
 * entry is an index into these arrays, 0 to n - 1; the token's id is ids[entry].
 *
 * Invariant: no two candidates have the same id, so there is exactly one order
 * [large_vocabularies_are_cut_alike]. */
#ifndef STRATA_PICK_H
#define STRATA_PICK_H

#include <stddef.h>
#include <stdint.h>

/* The entry of the best of n candidates: the largest logit, of equal ones the lowest id.
 *
 *   logits   (n) no NaN; -infinity is allowed
 *   ids      (n) in any order, none twice; NULL: the id is the index
 *
 * Needs    n >= 1.
 * Tutorial layer6/greedy.html */
size_t pick_best(const float *logits, const int32_t *ids, size_t n);

/* The k best of n candidates, best first: larger logits, of equal ones the lower ids.
 *
 *   logits           (n) no NaN; unchanged
 *   ids              (n) in any order, none twice; unchanged; NULL: the id is the index
 *   best, best_ids   (k) written: their logits and their ids
 *   keys             (n) working memory, uninitialized
 *
 * n may be a whole vocabulary, 100,000 and more: comparing all pairs takes too long.
 *
 * Needs    1 <= k <= n; none of the arrays overlap.
 * Source   Fan, Lewis & Dauphin 2018, arXiv:1805.04833.
 * Tutorial layer6/cuts.html */
void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys);

/* How many make up a mass: the smallest m for which the first m weights add up to at least
 * `mass`.
 *
 *   logits   (n) best first; the weight of a logit z is exp(z - max), summed in double
 *   mass     in the same units: p times the sum of all weights, with the slack for rounding
 *            already taken off
 *
 * Returns 1 to n.  Logits of -infinity come last, weigh nothing, and are never needed: if all
 * others do not reach the mass, the result is all others.
 *
 * Needs    n >= 1.
 * Source   Holtzman et al. 2019, arXiv:1904.09751.
 * Tutorial layer6/cuts.html */
size_t pick_top_p(const float *logits, size_t n, float max, double mass);

/* The entry that a uniform sample selects: the first i with weights[0] + ... + weights[i] >
 * coin, summed in double precision.
 *
 *     weights   0.5   0   1.5   1          coin 0.4 -> 0,   coin 0.5 -> 2,   coin 2.9 -> 3
 *
 *   weights   (n) none below 0
 *   coin      at least 0; below the sum of the weights, except for rounding
 *
 * Returns an entry with a weight above 0: if no sum exceeds coin, the last such entry; n if
 * there is none.
 *
 * Source   inversion: Devroye 1986, Non-Uniform Random Variate Generation, III.2.
 * Tutorial layer6/greedy.html */
size_t pick_drawn(const float *weights, size_t n, double coin);

#endif
