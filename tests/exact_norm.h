/* exact_norm.h - a norm in double precision, as norm.h says it. */
#ifndef STRATA_EXACT_NORM_H
#define STRATA_EXACT_NORM_H

#include "nn.h"

#include <math.h>

/* n numbers in place, `width` at a time; of the kind NORM_NONE nothing happens. */
static inline void exact_norm(const Norm *norm, double *y, size_t n) {
    for (size_t at = 0; norm->kind && at < n; at += norm->width) {
        double mean = 0, square = 0, width = (double)norm->width;
        for (size_t i = at; i < at + norm->width; i++) mean += y[i] / width;
        if (norm->kind == NORM_RMS) mean = 0;
        for (size_t i = at; i < at + norm->width; i++) square += pow(y[i] - mean, 2) / width;
        for (size_t i = at; i < at + norm->width; i++) {
            size_t own = norm->own_gain ? i : i - at;
            y[i] = (y[i] - mean) / sqrt(square + (double)norm->eps);
            if (norm->gain) y[i] *= (double)norm->gain[own];
            if (norm->bias) y[i] += (double)norm->bias[own];
        }
    }
}

#endif
