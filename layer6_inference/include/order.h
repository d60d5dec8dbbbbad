/* order.h - candidates in order: a float and an id as one integer that sorts the right way.
 *
 *     63                          32 31                 0
 *     | the float, upside down      | id                |   a smaller key is better:
 *     larger float, or equal floats and a smaller id
 *
 * Invariant: keys are distinct when ids are, so there is exactly one order and no ties
 * [large_vocabularies_are_cut_alike]. */
#ifndef STRATA_ORDER_H
#define STRATA_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As integers, positive floats are already in order and negative ones in reverse: flip the sign
 * bit of the former and all bits of the latter.  No branch: it would be unpredictable. */
static inline uint64_t order_key(float value, int32_t id) {
    uint32_t bits;
    value += 0.0f; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    bits ^= 0x80000000u | (0u - (bits >> 31));
    return (uint64_t)~bits << 32 | (uint32_t)id;
}

static inline float order_value(uint64_t key) {
    uint32_t bits = ~(uint32_t)(key >> 32);
    float value;
    bits ^= 0x80000000u | ((bits >> 31) - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int32_t order_id(uint64_t key) { return (int32_t)(uint32_t)key; }

void order_sort(uint64_t *keys, size_t n); /* ascending */

/* Sort many floats, best first, by radix sort.  ids ascend; NULL: the id is the index.
 *
 *   keys, spare          (n) working memory
 *   sorted, sorted_ids   (n) written; may be x and ids */
void order_sort_many(const float *x, const int32_t *ids, size_t n, uint64_t *keys,
                     uint64_t *spare, float *sorted, int32_t *sorted_ids);

/* Move the k smallest to the front, unsorted. */
void order_select(uint64_t *keys, size_t n, size_t k);

/* The k-th largest of n floats (k = 1: the largest); x is rearranged. */
float order_kth_largest(float *x, size_t n, size_t k);

#endif
