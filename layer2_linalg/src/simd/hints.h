/* hints.h - hints for the compiler: inline, unroll, prefetch. */
#ifndef STRATA_HINTS_H
#define STRATA_HINTS_H

#include <stddef.h>

/* A function that must be inlined, because its arguments are constants at the call.
 *
 *   isa   the target of the function (AVX2, ...), or nothing */
#define INLINE_OF(isa) static inline __attribute__((always_inline)) isa

/* Unroll a short loop of fixed length completely, so that an array of registers stays in
 * registers.  Not with sanitizers, which check every access. */
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

/* Request memory before it is read; invalid addresses are ignored.  Not inlined, it would look
 * like a function without effect, and the compiler would drop the call. */
INLINE_OF() void prefetch(const void *p, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)p + at);
}

#endif
