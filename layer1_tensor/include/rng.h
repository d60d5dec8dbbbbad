/* rng.h - randomness without hidden state.
 *
 * A random number is a hash of where it is used: u = hash(seed, stream, counter).  Asking twice
 * for the same place gives the same number, whatever was drawn in between; so a run can be rewound,
 * copied or split over threads and still be the same run.
 *
 * Invariant: the numbers of a stream depend on (seed, stream, counter) and on nothing else.
 * Source   the mixing function is SplitMix64: Steele, Lea & Flood 2014,
 *          doi:10.1145/2660193.2660195. */
#ifndef STRATA_RNG_H
#define STRATA_RNG_H

#include <stdint.h>

/* 64 well-mixed bits for a place. */
uint64_t rng_hash(uint64_t seed, uint64_t stream, uint64_t counter);

/* The same as a number in [0, 1), 53 bits deep. */
double rng_unit(uint64_t seed, uint64_t stream, uint64_t counter);

/* A walk along one stream, for code that wants "the next number". */
typedef struct Rng {
    uint64_t seed, stream, counter;
} Rng;

double rng_next(Rng *rng);                    /* [0, 1) */
uint64_t rng_below(Rng *rng, uint64_t limit); /* 0 .. limit-1; needs limit > 0 */
double rng_normal(Rng *rng);                  /* mean 0, deviation 1 (Box & Muller 1958) */

#endif
