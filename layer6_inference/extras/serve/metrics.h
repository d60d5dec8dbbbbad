/* metrics.h - what a server counts, and how Prometheus reads it.
 *
 *     strata_first_token_seconds_bucket{le="0.1"} 17
 *
 * Invariant: a histogram's buckets are cumulative, the last one (+Inf) is its count. */
#ifndef STRATA_METRICS_H
#define STRATA_METRICS_H

#include "inference.h"
#include "service.h"

#include <stdio.h>

enum { BUCKETS = 14, METRIC_CODES = 16, METRIC_PATHS = 16 };

typedef struct Histogram {
    const double *limits; /* (BUCKETS) rising */
    uint64_t count[BUCKETS + 1];
    double sum;
} Histogram;

typedef struct Metrics {
    Histogram first, gap, queue, prompt, answer;
    uint64_t requests[METRIC_PATHS][METRIC_CODES];
    uint64_t rejected; /* for lack of room */
    double start;
} Metrics;

/* What the worker is doing, as of its last step. */
typedef struct Load {
    ServiceCounts counts;
    size_t waiting, running, pages, pages_free, pages_kept;
    size_t layers;            /* that have pages */
    double tokens_per_second; /* lately */
    size_t pictures;          /* that the eye has read, */
    double picture_seconds;   /* and how long that took, with the steps between its layers */
} Load;

void metrics_open(Metrics *metrics);
void histogram_add(Histogram *histogram, double value);

/* A request to the path of this number was answered with a status of HTTP. */
void metrics_count(Metrics *metrics, size_t path, int status);

/* The text format of Prometheus, 0.0.4.
 *
 *   paths   (n) names of the numbers */
void metrics_write(const Metrics *metrics, const Load *load, const char *const *paths, size_t n,
                   FILE *out);

#endif
