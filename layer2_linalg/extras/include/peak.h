/* peak.h - the peak speed of this machine: the roof above every kernel. */
#ifndef STRATA_PEAK_H
#define STRATA_PEAK_H

#include "tensor.h"

/* Run multiply-adds on registers, on all threads of the pool, for about `seconds`; returns the
 * best GFLOP/s of short rounds (2 flops for each multiply-add). */
double peak_gflops(Pool *pool, double seconds);

/* The same for multiply-adds of bytes into 32-bit sums, which products of quantized weights
 * use; 0: not measured for this instruction set. */
double peak_gops_bytes(Pool *pool, double seconds);

/* GB/s of all threads together, each reading its own `bytes` again and again: a cache's
 * bandwidth, if that is the smallest one that holds them.  The best of short rounds. */
double cache_gigabytes(Pool *pool, size_t bytes, double seconds);

/* How fast all threads together read main memory, in passes of 256 MB, by the fastest of
 * three ways to read it; 0: no memory for that. */
typedef struct Bandwidth {
    double best, median; /* GB/s: the roof, and a typical value */
} Bandwidth;
Bandwidth bandwidth_gigabytes(Pool *pool, double seconds);

#endif
