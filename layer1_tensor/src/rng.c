/* rng.c - see rng.h. */
#include "rng.h"

static uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

uint64_t rng_hash(uint64_t seed, uint64_t stream, uint64_t counter) {
    return mix(mix(mix(seed) ^ stream) ^ counter);
}

/* rng_unit of many counters: the stream is mixed once. */
void rng_units(uint64_t seed, uint64_t stream, uint64_t first, double *out, size_t n) {
    const uint64_t start = mix(mix(seed) ^ stream);
    for (size_t i = 0; i < n; i++)
        out[i] = (double)(int64_t)(mix(start ^ (first + i)) >> 11) * 0x1p-53;
}
