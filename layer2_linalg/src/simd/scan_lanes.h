/* scan_lanes.h - lanes of sums: what each version of the scans computes of a chunk. */
#ifndef STRATA_SCAN_LANES_H
#define STRATA_SCAN_LANES_H

#include "scan.h"

#define SCAN_LOWEST -43.0f

/* The lanes of a chunk, at most SCAN_CHUNK numbers; zeros at first.  The scalar versions also
 * add the last n % 16 numbers of the others, which start at lane 0. */
typedef struct ExpLanes {
    float sum[SCAN_LANES], weighted[SCAN_LANES], squares[SCAN_LANES];
} ExpLanes;

/* Add e, d e and e^2 of number i to lane i mod 16 in f32: d = x - shift, e = exp(d).  Numbers
 * with d < SCAN_LOWEST are skipped. */
typedef void ExpLanesOf(ExpLanes *lanes, const float *x, size_t n, float shift);

typedef struct MomentLanes {
    float sum[SCAN_LANES], squares[SCAN_LANES];
    size_t count;
} MomentLanes;
typedef void MomentLanesOf(MomentLanes *lanes, const float *x, size_t n, float shift);

/* The sum of 16 lanes: add the upper half to the lower, four times. */
static inline float fold_lanes(float lanes[SCAN_LANES]) {
    for (int width = SCAN_LANES / 2; width; width /= 2)
        for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
}

/* scan_exp and scan_moments with one version of the kernel. */
ExpSums scan_exp_by(ExpLanesOf *take, const float *x, size_t n, float shift);
Moments scan_moments_by(MomentLanesOf *take, const float *x, size_t n, float shift);

#endif
