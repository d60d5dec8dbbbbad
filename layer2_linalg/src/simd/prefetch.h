/* prefetch.h - request memory before it is read; invalid addresses are ignored. */
#ifndef STRATA_PREFETCH_H
#define STRATA_PREFETCH_H

#include "inline.h"

#include <stddef.h>

/* Prefetch some bytes.  Not inlined, it would look like a function without effect, and the
 * compiler would drop the call. */
INLINE_OF() void prefetch(const void *p, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)p + at);
}

#endif
