/* unroll.h - makes the compiler write a short loop of fixed length out in full, so that an array
 * of registers stays in registers.  Sanitizers check every access anyway: for them, loops stay
 * loops. */
#ifndef STRATA_UNROLL_H
#define STRATA_UNROLL_H

#if defined(__SANITIZE_ADDRESS__)
#define UNROLL
#elif defined(__clang__)
#if __has_feature(address_sanitizer)
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

#endif
