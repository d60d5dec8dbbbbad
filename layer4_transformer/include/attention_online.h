/* attention_online.h - attention over the memory of a sequence, one page at a time.
 *
 * The textbook needs all scores before it can divide by their sum.  But a softmax can be
 * carried along: keep the largest score m so far, the sum s of exp(score - m), and the mean a
 * weighted by it.  When a new page brings a larger m', everything so far shrinks by the one
 * factor exp(m - m'):
 *
 *     s <- s * exp(m - m') + sum_j exp(score_j - m')
 *     a <- a * exp(m - m') + sum_j exp(score_j - m') v_j          in the end: out = a / s
 *
 * Invariant: a query walks the pages of its own sequence in order of position; so its result is
 * the same to the bit whatever else is in the batch and however the text before it was cut into
 * batches.
 * Error    within a few ulp of |out| of the textbook form: one more rounding for each page (tests).
 * Source   Milakov & Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022, arXiv:2205.14135. */
#ifndef STRATA_ATTENTION_ONLINE_H
#define STRATA_ATTENTION_ONLINE_H

#include "attention.h"
#include "kv.h"

/* out (count, heads * value_dim) = attention of each row of q over the memory of its sequence.
 *
 *   layer                  of the cache
 *   q                      (count, heads * head_dim); where keys are kept rotated, so is it afterwards (kv_rotate)
 *   sequence, position     (count) where each row stands; its own key is already stored */
void attention_online(Pool *pool, const AttentionShape *shape, const KvCache *kv, size_t layer,
                      size_t count, const int32_t *sequence, const int32_t *position, float *q,
                      float *out);

/* The positions that a row looks at: what the mask shows of its text, which begins behind the source where
 * there is one; of a source's own rows, of the source; with `cross` all of the source. */
Range attention_range(const AttentionShape *shape, const KvCache *kv, size_t sequence,
                      size_t position);

#endif
