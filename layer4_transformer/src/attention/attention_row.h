/* attention_row.h - the weights with which one head of one token looks at its past.
 *
 * Attention itself never has them all at once (attention_online.h).
 *
 * Invariant: with a sink they sum to less than 1, else to 1. */
#ifndef STRATA_ATTENTION_ROW_H
#define STRATA_ATTENTION_ROW_H

#include "attention.h"
#include "kv.h"

/* weights (n), 0 for positions that are not chosen, of the n positions that it returns, for one query q
 * (head_dim) of a head, rotated where keys are (kv_rotate): as attention_online() leaves it. */
Range attention_row(const AttentionShape *shape, const KvCache *kv, size_t layer,
                    size_t sequence, size_t position, size_t head, const float *q,
                    float *weights);

#endif
