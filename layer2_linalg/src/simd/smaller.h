/* smaller.h - of two sizes the smaller one: what is left, or a whole tile. */
#ifndef STRATA_SMALLER_H
#define STRATA_SMALLER_H

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

#endif
