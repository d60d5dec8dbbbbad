/* rng_draw.c - bits to numbers: between 0 and 1, whole, normal.  See rng.h. */
#include "fault.h"
#include "rng.h"

#include <math.h>

double rng_unit(uint64_t seed, uint64_t stream, uint64_t counter) {
    return (double)(rng_hash(seed, stream, counter) >> 11) * 0x1p-53;
}

double rng_next(Rng *rng) { return rng_unit(rng->seed, rng->stream, rng->counter++); }

/* Scaling the unit number favours some results by at most limit / 2^53: nothing, for our
 * limits. */
uint64_t rng_below(Rng *rng, uint64_t limit) {
    REQUIRE(limit > 0, "nothing lies below 0");
    return (uint64_t)(rng_next(rng) * (double)limit);
}

double rng_normal(Rng *rng) {
    double radius = sqrt(-2 * log(1 - rng_next(rng)));
    return radius * cos(6.283185307179586 * rng_next(rng));
}
