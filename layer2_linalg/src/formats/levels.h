/* levels.h - from 32 floats to the range and the levels of a block; shared by the small formats. */
#ifndef STRATA_LEVELS_H
#define STRATA_LEVELS_H

#include "blocks.h"

#include <math.h>

/* The number with the largest magnitude, with its sign; of equal ones the first. */
static inline float farthest(const float *x) {
    float far = 0;
    for (int k = 0; k < SMALL_BLOCK; k++)
        if (fabsf(x[k]) > fabsf(far)) far = x[k];
    return far;
}

static inline float smallest(const float *x) {
    float low = x[0];
    for (int k = 1; k < SMALL_BLOCK; k++)
        if (x[k] < low) low = x[k];
    return low;
}

static inline float largest(const float *x) {
    float high = x[0];
    for (int k = 1; k < SMALL_BLOCK; k++)
        if (x[k] > high) high = x[k];
    return high;
}

/* A level from 0 to `most`: half has been added already, so cutting rounds. */
static inline int level(float value, int most) {
    int q = (int)value;
    return q < 0 ? 0 : q > most ? most : q;
}

#endif
