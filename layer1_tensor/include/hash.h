/* hash.h - a hash of bytes: FNV-1a in 64 bits.
 *
 * A byte is mixed in so that it can be taken out again: of two texts that differ in one byte the hashes differ
 * for certain.
 * Source   Fowler, Noll & Vo 1991. */
#ifndef STRATA_HASH_H
#define STRATA_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_START UINT64_C(14695981039346656037)

/* The hash of bytes that follow those of `hash`. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
