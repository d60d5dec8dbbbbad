/* estimate.h - a mean, a share or a ratio over independent units (openings, samples of
 * texts), how sure it is, and how sure a difference of two over the same units is.
 *
 * An estimate keeps what each unit adds to its deviation from the truth, to first order (its
 * influence): for a mean x[i] - mean, for a ratio (a[i] - r b[i]) / mean(b).  Its standard
 * error is that of the mean of these; and the influences of a difference are the
 * differences, unit by unit: that is what pairing is.
 *
 * Invariant: influences of one estimate add up to 0. */
#ifndef STRATA_ESTIMATE_H
#define STRATA_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Estimate {
    double mean;
    double *influence; /* (n) owns */
    size_t n;          /* units; 0: nothing is known */
} Estimate;

/* With its interval of 95 %. */
typedef struct Value {
    bool known, has_interval; /* no interval: of a single unit */
    double mean, low, high;
} Value;

/* Memory for n influences, all 0.  False when there is none. */
bool estimate_open(Estimate *estimate, size_t n);
void estimate_close(Estimate *estimate);

/* Of values x (n). */
void estimate_mean(Estimate *estimate, const double *x);

/* sum a / sum b; nothing is known when sum b is 0. */
void estimate_ratio(Estimate *estimate, const double *a, const double *b);

/* Mean +- t standard errors, with Student's t of n - 1 degrees of freedom. */
Value estimate_value(const Estimate *estimate);

/* A share between 0 and 1: Wilson's interval, for as many independent texts as would have
 * this error; so none of 500 is not 0 +- 0.   Wilson 1927, J. Am. Stat. Assoc. 22, 209 */
Value estimate_share(const Estimate *estimate);

/* a - b, over the same units. */
Value estimate_difference(const Estimate *a, const Estimate *b);

#endif
