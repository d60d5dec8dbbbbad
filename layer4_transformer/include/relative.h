/* relative.h - a learned number for each distance between query and key, added to their score.
 *
 *     score(i, j) = scale * q_i . k_j + table[bucket(j - i)][head]
 *
 * No vector and no rotation says where a token stands; only this does, and only how far two are apart.
 * A bucket holds one distance where that is short, and more and more of them farther out; the last one
 * has no end.  With 16 buckets for a direction:
 *
 *     distance   0  1  2  3  4  5  6  7 | 8-11  12-15  16-22  23-31  32-45  46-63  64-90  91 and more
 *     bucket     0  1  2  3  4  5  6  7 |  8      9     10     11     12     13     14     15
 *                one each, e = 8 of them | e + floor(ln(n / e) / ln(128 / e) * (16 - e))
 *
 * A text that is written has only keys earlier than the query: all buckets are for those.  One that is read
 * both ways gives the first half to earlier keys and to the query itself, the second half to later ones.
 *
 * Invariant: every distance has a bucket, and from RELATIVE_FAR on all of a direction share one; so a map of
 * 2 * RELATIVE_FAR + 1 entries holds them all.
 * Source   Raffel et al. 2019, arXiv:1910.10683, sec. 2.1 (T5).
 * Tutorial docs/layer4/cross-attention.md */
#ifndef STRATA_RELATIVE_H
#define STRATA_RELATIVE_H

#include "nn.h"

enum { RELATIVE_FAR = 128, RELATIVE_BUCKETS = 128 /* at most */ };

typedef struct Relative {
    const float *table; /* (buckets, heads); NULL: none */
    size_t heads;
    uint8_t bucket[2 * RELATIVE_FAR + 1]; /* of distances -RELATIVE_FAR .. RELATIVE_FAR */
} Relative;

/* The bucket of a key that comes `distance` positions later in the text than the query: its position less the
 * query's; negative when it comes earlier.
 *
 *   buckets     in all
 *   both_ways   half of them are for keys that come later; else these share bucket 0 with the query itself
 *
 * Needs    4 to RELATIVE_BUCKETS buckets. */
size_t relative_bucket(ptrdiff_t distance, size_t buckets, bool both_ways);

/* Work out the map from distances to buckets; the table is bound by itself. */
void relative_init(Relative *relative, size_t heads, size_t buckets, bool both_ways);

/* scores[j] += what the table says of the key at position first + j, for one head of the query at `query`.
 *
 *   scores   (n) */
void relative_add(const Relative *relative, size_t head, size_t query, size_t first, size_t n,
                  float *scores);

#endif
