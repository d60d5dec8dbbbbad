/* share.h - how many of some places one of several users may hold.
 *
 *     a a a a a a . . . . . .     a holds as many as are free: it gets no more
 *     a a a a a a b b b . . .     neither does b now; c still finds some
 *
 * A fixed part for each of a hundred users would be no place at all, and most users ask for nothing.  What is free is
 * counted instead: one may hold as many as it leaves to others, so that alone it has half of them, and of k that
 * want all each has one in k + 1.
 *
 * Invariant: whoever holds nothing gets a place while there is one.
 * Source   Choudhury and Hahne 1998, doi:10.1109/90.664262 (dynamic thresholds, for the buffers of switches). */
#ifndef STRATA_SHARE_H
#define STRATA_SHARE_H

#include "size.h"

#include <stdbool.h>

/* May one that holds some places take n more of those that are free?  Needs n <= free. */
static inline bool share_allows(size_t held, size_t n, size_t free) {
    return held + n <= max_size(1, free - n);
}

/* The most that one may hold of `room` places, when nobody else holds any. */
static inline size_t share_most(size_t room) { return max_size(1, room / 2); }

#endif
