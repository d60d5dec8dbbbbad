/* ask.h - asking for memory before it is read. */
#ifndef STRATA_ASK_H
#define STRATA_ASK_H

/* The cache line a page ahead of p: data that is read from front to back.  Nothing happens where there is no memory. */
static inline __attribute__((always_inline)) void ask_ahead(const float *p) {
    __builtin_prefetch(p + 1024);
}

#endif
