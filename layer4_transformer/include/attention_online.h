/* attention_online.h - attention over the KV cache, one page at a time.
 *
 * The textbook form needs all scores before it can divide by their sum.  A softmax can also be
 * updated as scores arrive: keep the largest score m so far, the sum s of exp(score - m), and
 * the sum a of values with these weights.  If a page brings a larger m', rescale s and a by
 * exp(m - m'):
 *
 *     s <- s * exp(m - m') + sum_j exp(score_j - m')
 *     a <- a * exp(m - m') + sum_j exp(score_j - m') v_j          at the end: out = a / s
 *
 * Invariant: a query reads its sequence's pages in order of position, so its bits depend
 * neither on the batch nor on how the prompt was split [threads_and_chunks_change_no_bit].
 * Error    within 2e-5 of double precision for 200 tokens and |values| <= 2, as the textbook
 *          form; the dot products dominate, not the pages [three_forms_agree_with_double].
 * Source   Milakov & Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022, arXiv:2205.14135. */
#ifndef STRATA_ATTENTION_ONLINE_H
#define STRATA_ATTENTION_ONLINE_H

#include "attention.h"
#include "batch.h"
#include "kv.h"

/* out (count, heads * value_dim) = attention of each row of a batch over its sequence's cache.
 *
 *   layer   of the cache, which already has the rows' own keys
 *   q       (count, heads * head_dim); rotated in place if keys are (kv_rotate) */
void attention_online(Pool *pool, const AttentionShape *shape, const KvCache *kv, size_t layer,
                      const Batch *batch, float *q, float *out);

/* The positions that a row attends to: with `cross` the whole source; else what the mask shows,
 * of the source for its own rows, of the text behind the source for others. */
Range attention_range(const AttentionShape *shape, const KvCache *kv, size_t sequence,
                      size_t position);

#endif
