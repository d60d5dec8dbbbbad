/* inline.h - functions that must become part of whoever calls them: their arguments are constants
 * there. */
#ifndef STRATA_INLINE_H
#define STRATA_INLINE_H

/* isa: what the function is compiled for (AVX2, ...), or nothing. */
#define INLINE_OF(isa) static inline __attribute__((always_inline)) isa

#endif
