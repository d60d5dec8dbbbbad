/* peak.h - how fast this machine could be: the roof above every kernel. */
#ifndef STRATA_PEAK_H
#define STRATA_PEAK_H

#include "tensor.h"

/* Multiply-adds from registers only, on all threads of the pool, for about `seconds`; returns
 * the best GFLOP/s seen in short rounds (2 flops for each multiply-add). */
double peak_gflops(Pool *pool, double seconds);

/* Bytes that all threads together read from main memory, over several passes of 256 MB; 0 when
 * there is no memory for that. */
typedef struct Bandwidth {
    double best, median; /* GB/s: a roof, and what to expect of a second of reading */
} Bandwidth;
Bandwidth bandwidth_gigabytes(Pool *pool, double seconds);

#endif
