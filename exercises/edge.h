/* edge.h - memory that ends where a page ends: reading past it crashes. */
#ifndef STRATA_GRADE_EDGE_H
#define STRATA_GRADE_EDGE_H

#include "grader.h"

#include <sys/mman.h>

enum { EDGE_ROOM = 1 << 19 };

/* The last `bytes` (at most EDGE_ROOM) before a protected page; the same memory each time. */
static inline void *before_the_edge(size_t bytes) {
    static unsigned char *pages;
    if (!pages) {
        pages = mmap(NULL, 2 * EDGE_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0);
        NEED(pages != MAP_FAILED);
        NEED(mprotect(pages + EDGE_ROOM, EDGE_ROOM, PROT_NONE) == 0);
    }
    NEED(bytes <= EDGE_ROOM);
    return pages + EDGE_ROOM - bytes;
}

#endif
