/* real_bits.h - a digest of what real.h computes, for tests that run on several machines. */
#ifndef STRATA_REAL_BITS_H
#define STRATA_REAL_BITS_H

#include "hash.h"
#include "real.h"
#include "rng.h"

#define REAL_BITS UINT64_C(0x04c3d95e6076c61e)

static inline uint64_t real_bits(void) {
    uint64_t hash = HASH_START;
    for (uint64_t i = 0; i < 20000; i++) {
        double u = rng_unit(1, 2, i), turn[2],
               values[] = {real_exp((u - 0.5) * (i % 2 ? 1400 : 2)), real_log(u * 4 + 0x1p-60)};
        real_turn((u - 0.5) * (i % 2 ? 2e6 : 8), &turn[0], &turn[1]);
        hash = hash_bytes(hash_bytes(hash, values, sizeof values), turn, sizeof turn);
    }
    return hash;
}

#endif
