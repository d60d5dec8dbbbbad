/* estimate.c - see estimate.h. */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>

/* The 97.5% quantile of Student's t: exact for 1 and 2 degrees, above that to three digits by
 * its expansion about the normal quantile (Abramowitz & Stegun 26.7.5). */
static double student(double degrees) {
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    if (degrees < 2) return 12.706;
    if (degrees < 3) return 4.303;
    return z + (z3 + z) / (4 * degrees) +
           (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

bool estimate_open(Estimate *e, size_t n) {
    *e = (Estimate){.influence = calloc(n + 1, sizeof(double)), .n = n};
    return e->influence != NULL;
}

void estimate_close(Estimate *e) {
    free(e->influence);
    *e = (Estimate){0};
}

void estimate_mean(Estimate *e, const double *x) {
    e->mean = 0;
    for (size_t i = 0; i < e->n; i++) e->mean += x[i] / (double)e->n;
    for (size_t i = 0; i < e->n; i++) e->influence[i] = x[i] - e->mean;
}

void estimate_ratio(Estimate *e, const double *a, const double *b) {
    double above = 0, below = 0;
    for (size_t i = 0; i < e->n; i++) above += a[i], below += b[i];
    if (below == 0) {
        e->n = 0;
        return;
    }
    e->mean = above / below;
    for (size_t i = 0; i < e->n; i++)
        e->influence[i] = (a[i] - e->mean * b[i]) * (double)e->n / below;
}

/* Standard error of a mean from n influences. */
static double error_of(const double *influence, const double *less, size_t n) {
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += pow(influence[i] - (less ? less[i] : 0), 2) / (double)n;
    return n > 1 ? sqrt(squares / (double)(n - 1)) : INFINITY;
}

static Value around(double mean, double error, size_t n) {
    if (n < 2) return (Value){.known = n > 0, .mean = mean};
    double half = student((double)(n - 1)) * error;
    return (Value){true, true, mean, mean - half, mean + half};
}

Value estimate_value(const Estimate *e) {
    return around(e->mean, error_of(e->influence, NULL, e->n), e->n);
}

Value estimate_share(const Estimate *e) {
    const double z = 1.959964, p = fmin(1, fmax(0, e->mean));
    double error = error_of(e->influence, NULL, e->n);
    if (e->n < 2) return (Value){.known = e->n > 0, .mean = p};
    double n = error > 1e-9 ? p * (1 - p) / (error * error) : (double)e->n;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return (Value){true, true, p, fmax(0, middle - half), fmin(1, middle + half)};
}

Value estimate_difference(const Estimate *a, const Estimate *b) {
    if (!a->n || a->n != b->n) return (Value){0};
    return around(a->mean - b->mean, error_of(a->influence, b->influence, a->n), a->n);
}
