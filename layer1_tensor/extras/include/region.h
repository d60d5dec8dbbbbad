/* region.h - memory for many small things that are freed together.
 *
 * A tree that is parsed, a program that is interpreted: the size is not known beforehand (which
 * an arena needs), and freeing the parts one by one would be a chore.  A region grows:
 *
 *     last --> |####.....| --> |########| --> |########|    one malloc for many allocations
 *
 * Invariant: what was allocated stays in place until region_free; taken <= limit, if any
 * [regions_stay_in_place_within_their_limit]. */
#ifndef STRATA_REGION_H
#define STRATA_REGION_H

#include <stddef.h>

typedef struct Region {
    struct RegionBlock *last; /* owns, and through it the earlier ones */
    size_t taken;             /* bytes */
    size_t limit;             /* max bytes; 0: none */
} Region;

/* `size` bytes, zeroed, at a multiple of 16.  NULL beyond the limit or without memory. */
void *region_alloc(Region *region, size_t size);

void region_free(Region *region);

#endif
