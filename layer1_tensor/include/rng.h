/* rng.h - randomness without hidden state.
 *
 * A random number is a hash of where it is used: u = hash(seed, stream, counter).  The same
 * place always gives the same number, whatever was drawn in between; so a run can be rewound,
 * copied or split over threads and is still the same run.
 *
 * Invariant: the numbers of a stream depend on (seed, stream, counter) and on nothing else
 * [randomness_is_a_place].
 * Source   the mixing function is SplitMix64: Steele, Lea & Flood 2014,
 *          doi:10.1145/2660193.2660195. */
#ifndef STRATA_RNG_H
#define STRATA_RNG_H

#include <stddef.h>
#include <stdint.h>

/* 64 well-mixed bits for a place: mix(mix(mix(seed) ^ stream) ^ counter). */
uint64_t rng_hash(uint64_t seed, uint64_t stream, uint64_t counter);

/* The upper 53 of them, times 2^-53: uniform in [0, 1). */
double rng_unit(uint64_t seed, uint64_t stream, uint64_t counter);

/* out[i] = rng_unit(seed, stream, first + i) for n numbers, faster. */
void rng_units(uint64_t seed, uint64_t stream, uint64_t first, double *out, size_t n);

/* A walk along one stream, for code that wants "the next number". */
typedef struct Rng {
    uint64_t seed, stream, counter;
} Rng;

/* rng_unit at the counter, which is then incremented. */
double rng_next(Rng *rng);

/* 0 .. limit-1: the next number times limit, rounded down.  Needs limit > 0. */
uint64_t rng_below(Rng *rng, uint64_t limit);

/* Mean 0, standard deviation 1, from the next two numbers u and v (Box & Muller 1958):
 * sqrt(-2 log(1 - u)) cos(2 pi v). */
double rng_normal(Rng *rng);

#endif
