/* min_size.h - of two sizes the smaller one: what is left, or a whole tile. */
#ifndef STRATA_MIN_SIZE_H
#define STRATA_MIN_SIZE_H

#include <stddef.h>

static inline size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

#endif
