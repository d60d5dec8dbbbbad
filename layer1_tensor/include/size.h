/* size.h - min and max of two sizes. */
#ifndef STRATA_SIZE_H
#define STRATA_SIZE_H

#include <stddef.h>

static inline size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
