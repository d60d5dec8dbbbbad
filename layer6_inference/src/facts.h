/* facts.h - which facts of the candidates are known; private to candidates.c and selection.c. */
#ifndef STRATA_FACTS_H
#define STRATA_FACTS_H

#include "candidates.h"

enum { KNOW_MAX = 1, KNOW_SUMS = 2, KNOW_BLOCKS = 4 };

static inline size_t blocks_of(size_t n) { return (n + SCAN_BLOCK - 1) / SCAN_BLOCK; }

#endif
