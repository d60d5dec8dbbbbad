/* near.h - floats beside what they should be in double precision.
 *
 *     softmax(got, x, n);
 *     ...                                    the same in double: want
 *     if (all_near(got, want, n, 1e-5)) return;
 *     HINT(!all_near(got, halves, n, 1e-5), "each number is half of what it should be");
 *     expect("softmax", got, want, n, 1e-5);
 *
 * A known slip is told from others by computing it, too. */
#ifndef STRATA_NEAR_H
#define STRATA_NEAR_H

#include "grader.h"

#include <stdbool.h>

/* |got - want| <= bound * (1 + |want|); two NaNs are near, and so are two equal infinities. */
static inline bool near(double got, double want, double bound) {
    if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= bound * (1 + fabs(want));
}

static inline bool all_near(const float *got, const double *want, size_t n, double bound) {
    for (size_t i = 0; i < n; i++)
        if (!near((double)got[i], want[i], bound)) return false;
    return true;
}

/* A hint with the first that is off. */
static inline void expect(const char *what, const float *got, const double *want, size_t n,
                          double bound) {
    for (size_t i = 0; i < n; i++)
        HINT(near((double)got[i], want[i], bound),
             "%s: number %zu of %zu (from 0): expected %.7g, got %.7g", what, i, n, want[i],
             (double)got[i]);
}

#endif
