/* hash.h - 64-bit FNV-1a.
 *
 * Each step is invertible, so texts of equal length that differ in one byte have different
 * hashes.
 * Source   Fowler, Noll & Vo 1991. */
#ifndef STRATA_HASH_H
#define STRATA_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_START UINT64_C(14695981039346656037)

/* Continue `hash` with more bytes. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data; /* C++ reads this, too */
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
