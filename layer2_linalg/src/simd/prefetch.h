/* prefetch.h - asking for memory before it is read.  Nothing happens where there is none. */
#ifndef STRATA_PREFETCH_H
#define STRATA_PREFETCH_H

#include "inline.h"

#include <stddef.h>

/* The cache lines of some bytes from p on.  Where it is not inlined the compiler sees a function
 * without effect, and drops the call. */
INLINE_OF() void prefetch(const void *p, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)p + at);
}

#endif
