/* peak.h - the peak speed of this machine: the roof above every kernel. */
#ifndef STRATA_PEAK_H
#define STRATA_PEAK_H

#include "tensor.h"

/* Run multiply-adds on registers, on all threads of the pool, for about `seconds`; returns the
 * best GFLOP/s of short rounds (2 flops for each multiply-add). */
double peak_gflops(Pool *pool, double seconds);

/* How fast all threads together read main memory, in passes of 256 MB; 0: no memory for
 * that. */
typedef struct Bandwidth {
    double best, median; /* GB/s: the roof, and a typical value */
} Bandwidth;
Bandwidth bandwidth_gigabytes(Pool *pool, double seconds);

#endif
