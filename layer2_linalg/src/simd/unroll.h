/* unroll.h - unroll a short loop of fixed length completely, so that an array of registers
 * stays in registers.  Not with sanitizers, which check every access. */
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
