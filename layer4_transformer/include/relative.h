/* relative.h - a learned bias for the distance between query and key, added to their score.
 *
 *     score(i, j) = scale * q_i . k_j + table[bucket(j - i)][head]
 *
 * These models (T5) have no other positions.  Short distances have a bucket each, longer ones
 * share; the last bucket is open-ended.  With 16 buckets for a direction:
 *
 *     distance   0  1  2  3  4  5  6  7 | 8-11 12-15 16-22 23-31 32-45 46-63 64-90 91 ..
 *     bucket     0  1  2  3  4  5  6  7 | 8    9     10    11    12    13    14    15
 *                one each, e = 8 of them | e + floor(ln(n / e) / ln(128 / e) * (16 - e))
 *
 * A causal decoder uses all buckets for earlier keys.  A bidirectional encoder uses the first
 * half for the query itself and earlier keys, the second half for later ones.
 *
 * Invariant: from RELATIVE_FAR on, all distances of a direction share its last bucket; so a map
 * of 2 * RELATIVE_FAR + 1 entries holds them all [the_map_is_the_formula].
 * Source   Raffel et al. 2019, arXiv:1910.10683, sec. 2.1 (T5).
 * Tutorial docs/layer4/cross-attention.md */
#ifndef STRATA_RELATIVE_H
#define STRATA_RELATIVE_H

#include "nn.h"

enum { RELATIVE_FAR = 128, RELATIVE_BUCKETS = 128 /* max */ };

typedef struct Relative {
    const float *table; /* (buckets, heads); NULL: none */
    size_t heads;
    uint8_t bucket[2 * RELATIVE_FAR + 1]; /* of distances -RELATIVE_FAR .. RELATIVE_FAR */
} Relative;

/* The bucket of a key `distance` positions after the query (negative: before it).
 *
 *   buckets     of both directions together
 *   bidirectional   half of the buckets are for later keys; else later keys share bucket 0
 *
 * Needs    4 to RELATIVE_BUCKETS buckets. */
size_t relative_bucket(ptrdiff_t distance, size_t buckets, bool bidirectional);

/* Fill the map from distances to buckets; the caller sets the table. */
void relative_init(Relative *relative, size_t heads, size_t buckets, bool bidirectional);

/* scores[j] += the bias of the key at position first + j for one head of the query at `query`.
 *
 *   scores   (n) */
void relative_add(const Relative *relative, size_t head, size_t query, size_t first, size_t n,
                  float *scores);

#endif
