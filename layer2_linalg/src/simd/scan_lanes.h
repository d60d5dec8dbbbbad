/* scan_lanes.h - lanes of sums, shared by all versions of the scans. */
#ifndef STRATA_SCAN_LANES_H
#define STRATA_SCAN_LANES_H

#include "scan.h"

#define SCAN_LOWEST -43.0f

/* The sum of 16 lanes: add the upper half to the lower, four times. */
static inline double fold_lanes(float lanes[SCAN_LANES]) {
    for (int width = SCAN_LANES / 2; width; width /= 2)
        for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return (double)lanes[0];
}

/* The lanes of a chunk.  The scalar functions below also add the last n % 16 numbers of the
 * other versions, which start at lane 0. */
typedef struct ExpLanes {
    float sum[SCAN_LANES], weighted[SCAN_LANES], squares[SCAN_LANES];
} ExpLanes;

/* Add e, d e and e^2 of number i to lane i mod 16 in f32: d = x - shift, e = exp(d).  Numbers
 * with d < SCAN_LOWEST are skipped. */
void exp_lanes_take(ExpLanes *lanes, const float *x, size_t n, float shift);

typedef struct MomentLanes {
    float sum[SCAN_LANES], squares[SCAN_LANES];
    size_t count;
} MomentLanes;
void moment_lanes_take(MomentLanes *lanes, const float *x, size_t n, float shift);

static inline size_t chunk_at(size_t i, size_t n) {
    return n - i < SCAN_CHUNK ? n - i : SCAN_CHUNK;
}

static inline void exp_lanes_fold(ExpSums *total, ExpLanes *lanes) {
    total->sum += fold_lanes(lanes->sum);
    total->weighted += fold_lanes(lanes->weighted);
    total->squares += fold_lanes(lanes->squares);
}

static inline void moment_lanes_fold(Moments *total, MomentLanes *lanes) {
    total->count += lanes->count;
    total->sum += fold_lanes(lanes->sum);
    total->squares += fold_lanes(lanes->squares);
}

#endif
