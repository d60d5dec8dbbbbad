/* order.h - candidates in order: a float and an id as one integer that sorts the right way.
 *
 *     63                          32 31                 0
 *     | the float, upside down      | id                |     a smaller key is a better candidate:
 *     larger float, or equal floats and a smaller id
 *
 * Invariant: keys are distinct when ids are, so there is one order and no question of ties. */
#ifndef STRATA_ORDER_H
#define STRATA_ORDER_H

#include <stddef.h>
#include <stdint.h>

uint64_t order_key(float value, int32_t id);
float order_value(uint64_t key);
static inline int32_t order_id(uint64_t key) { return (int32_t)(uint32_t)key; }

void order_sort(uint64_t *keys, size_t n); /* ascending */

/* The same for keys whose ids ascend already, byte by byte: for thousands of keys.
 *
 *   aside   room for n more */
void order_sort_many(uint64_t *keys, uint64_t *aside, size_t n);

void order_select(uint64_t *keys, size_t n,
                  size_t k); /* the k smallest to the front, unsorted */

/* The k-th largest of n floats (k = 1: the largest); x is rearranged. */
float order_kth_largest(float *x, size_t n, size_t k);

#endif
