/* facts.h - shared by candidates.c, facts.c, selection.c and mass.c. */
#ifndef STRATA_FACTS_H
#define STRATA_FACTS_H

#include "candidates.h"

enum { KNOW_MAX = 1, KNOW_SUMS = 2, KNOW_SEGMENTS = 4, KNOW_PLACES = 8 };

static inline size_t segments_of(size_t n) { return (n + SCAN_SEGMENT - 1) / SCAN_SEGMENT; }

/* The survivors become the candidates. */
static inline void candidates_take_survivors(Candidates *c, size_t count, bool sorted) {
    c->logits = c->survivors, c->ids = c->survivor_ids;
    c->count = count;
    c->dense = false, c->sorted = sorted;
    c->known = 0;
}

#endif
