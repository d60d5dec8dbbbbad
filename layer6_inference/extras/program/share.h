/* share.h - how many slots one of several users may hold.
 *
 *     a a a a a a . . . . . .     a holds as many as are free: it gets no more
 *     a a a a a a b b b . . .     neither does b now; c still finds some
 *
 * A fixed share for each of a hundred users would be less than one slot, and most users want
 * none.  So a user may hold as many slots as it leaves free: half of them when it is alone, and
 * one in k + 1 each when k users want all.
 *
 * Invariant: a user that holds nothing gets a slot while one is free.
 * Source   Choudhury and Hahne 1998, doi:10.1109/90.664262 (dynamic thresholds). */
#ifndef STRATA_SHARE_H
#define STRATA_SHARE_H

#include "size.h"

#include <stdbool.h>

/* May a user that holds `held` slots take n of the free ones?  Needs n <= free. */
static inline bool share_allows(size_t held, size_t n, size_t free) {
    return held + n <= max_size(1, free - n);
}

/* The most of `room` slots for one user when all others hold none. */
static inline size_t share_most(size_t room) { return max_size(1, room / 2); }

#endif
