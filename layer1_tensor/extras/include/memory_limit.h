/* memory_limit.h - one limit for the memory that requests make a program take.
 *
 * A request of 4 MB may become 40 MB of JSON, a schema of some bytes 200 MB of grammar, and a
 * server has hundreds of connections: each has limits, and all together this one.  Regions and
 * grammars count against it by themselves; the server counts a request's bytes.
 *
 * Invariant: what was taken is given back; taken <= the limit, if there is one
 * [one_limit_counts_all]. */
#ifndef STRATA_MEMORY_LIMIT_H
#define STRATA_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that may be taken; 0: any number (the default).  Before other threads start. */
void memory_limit_set(size_t bytes);

/* False: they are more than is left, and nothing is taken. */
bool memory_limit_take(size_t bytes);
void memory_limit_give(size_t bytes);

/* Is more than half of it taken?  Then nothing should be kept that no request uses. */
bool memory_limit_is_short(void);

/* Bytes that are taken now. */
size_t memory_limit_taken(void);

#endif
