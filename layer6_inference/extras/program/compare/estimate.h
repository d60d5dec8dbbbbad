/* estimate.h - a mean, share or ratio over independent units (openings, or samples of texts),
 * its confidence interval, and that of a difference over the same units.
 *
 * An estimate keeps each unit's first-order contribution to the deviation (its influence): for
 * a mean x[i] - mean, for a ratio (a[i] - r b[i]) / mean(b).  Its standard error is that of the
 * mean influence.  A paired difference subtracts influences unit by unit.
 *
 * Invariant: the influences of an estimate sum to 0. */
#ifndef STRATA_ESTIMATE_H
#define STRATA_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Estimate {
    double mean;
    double *influence; /* (n) owned */
    size_t n;          /* units; 0: no data */
} Estimate;

/* With its 95% interval. */
typedef struct Value {
    bool known, has_interval; /* a single unit has no interval */
    double mean, low, high;
} Value;

/* Allocate n influences, all 0.  False when memory runs out. */
bool estimate_open(Estimate *estimate, size_t n);
void estimate_close(Estimate *estimate);

/* Mean of x (n). */
void estimate_mean(Estimate *estimate, const double *x);

/* sum a / sum b; no data if sum b is 0. */
void estimate_ratio(Estimate *estimate, const double *a, const double *b);

/* Mean +- t standard errors, with Student's t of n - 1 degrees of freedom. */
Value estimate_value(const Estimate *estimate);

/* A share in [0, 1]: Wilson's interval with the number of independent texts that gives this
 * standard error, so that 0 of 500 is not 0 +- 0.  Wilson 1927, J. Am. Stat. Assoc. 22, 209 */
Value estimate_share(const Estimate *estimate);

/* a - b, over the same units. */
Value estimate_difference(const Estimate *a, const Estimate *b);

#endif
