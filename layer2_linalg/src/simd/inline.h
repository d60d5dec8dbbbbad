/* inline.h - functions that must be inlined, because their arguments are constants at the
 * call. */
#ifndef STRATA_INLINE_H
#define STRATA_INLINE_H

/* isa: the target of the function (AVX2, ...), or nothing. */
#define INLINE_OF(isa) static inline __attribute__((always_inline)) isa

#endif
