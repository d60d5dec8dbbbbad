/* rng.c - see rng.h. */
#include "rng.h"
#include "fault.h"
#include "real.h"

#include <math.h>

static inline uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

uint64_t rng_hash(uint64_t seed, uint64_t stream, uint64_t counter) {
    return mix(mix(mix(seed) ^ stream) ^ counter);
}

void rng_units(uint64_t seed, uint64_t stream, uint64_t first, double *out, size_t n) {
    const uint64_t key = mix(mix(seed) ^ stream); /* as in rng_hash */
    for (size_t i = 0; i < n; i++)
        out[i] = (double)(int64_t)(mix(key ^ (first + i)) >> 11) * 0x1p-53;
}

double rng_unit(uint64_t seed, uint64_t stream, uint64_t counter) {
    return (double)(rng_hash(seed, stream, counter) >> 11) * 0x1p-53;
}

double rng_next(Rng *rng) { return rng_unit(rng->seed, rng->stream, rng->counter++); }

/* Scaling favours some results by at most limit / 2^53: nothing, for our limits. */
uint64_t rng_below(Rng *rng, uint64_t limit) {
    REQUIRE(limit > 0, "nothing lies below 0");
    return (uint64_t)(rng_next(rng) * (double)limit);
}

double rng_normal(Rng *rng) {
    double radius = sqrt(-2 * real_log(1 - rng_next(rng))), cosine, sine;
    real_turn(6.283185307179586 * rng_next(rng), &cosine, &sine);
    return radius * cosine;
}
