/* unroll.h - ask the compiler to write a short loop of fixed length out in full, so that an
 * array of registers stays in registers. */
#ifndef STRATA_UNROLL_H
#define STRATA_UNROLL_H

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

#endif
