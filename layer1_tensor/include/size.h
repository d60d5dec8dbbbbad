/* size.h - min, max and rounding of sizes. */
#ifndef STRATA_SIZE_H
#define STRATA_SIZE_H

#include <stddef.h>

static inline size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* n / by, rounded up. */
static inline size_t div_up(size_t n, size_t by) { return (n + by - 1) / by; }

/* n, rounded up to a multiple of `of`. */
static inline size_t round_up(size_t n, size_t of) { return div_up(n, of) * of; }

#endif
