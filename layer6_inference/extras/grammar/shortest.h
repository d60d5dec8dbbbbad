/* shortest.h - the distance from a row to a complete text, used to finish within a token limit.
 *
 * Invariant: an estimate, never used to decide what may come: the parts of intersections,
 * complements and number tests count as if independent. */
#ifndef STRATA_SHORTEST_H
#define STRATA_SHORTEST_H

#include "row.h"

enum { SHORTEST_MOST = 1000000 };

/* Bytes to go; UINT32_MAX: not computed yet.  All owned. */
typedef struct Shortest {
    uint32_t *of_rule; /* (rules) NULL: not computed yet */
    uint32_t *of_back; /* (back_room) from a return to the end */
    uint32_t *of_lazy; /* (lazy_room) of an object or array, by its expression */
    uint32_t back_room, lazy_room, depth;
    size_t used, until; /* steps spent so far; of the budget, at which guesses begin */
} Shortest;

void shortest_free(Shortest *shortest);

/* Bytes from a row to the nearest complete text, at most SHORTEST_MOST. */
uint32_t shortest_of(Shortest *shortest, RowTable *rows, uint32_t row);

#endif
