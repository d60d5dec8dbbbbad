/* attention_row.h - the attention weights of one head of one token; attention_online never has
 * them all at once.
 *
 * Invariant: they sum to 1; with a sink, to less. */
#ifndef STRATA_ATTENTION_ROW_H
#define STRATA_ATTENTION_ROW_H

#include "attention.h"
#include "kv.h"

/* Returns a range of n positions and writes their weights (n), 0 if not chosen, for one query q
 * (head_dim) of a head, rotated if keys are (kv_rotate), as attention_online() leaves it. */
Range attention_row(const AttentionShape *shape, const KvCache *kv, size_t layer,
                    size_t sequence, size_t position, size_t head, const float *q,
                    float *weights);

#endif
