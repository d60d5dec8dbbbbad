/* metrics.h - counters, in Prometheus's text format.
 *
 *     strata_first_token_seconds_bucket{le="0.1"} 17
 *
 * Invariant: a histogram's buckets are cumulative, the last one (+Inf) is its count. */
#ifndef STRATA_METRICS_H
#define STRATA_METRICS_H

#include "inference.h"
#include "service.h"

#include <stdio.h>

enum { BUCKETS = 14, METRIC_CODES = 16, METRIC_PATHS = 24 };

typedef struct Histogram {
    const double *limits; /* (BUCKETS) ascending */
    uint64_t count[BUCKETS + 1];
    double sum;
} Histogram;

typedef struct Metrics {
    Histogram first, gap, queue, prompt, answer;
    uint64_t requests[METRIC_PATHS][METRIC_CODES];
    uint64_t rejected; /* for lack of slots */
    double start;
} Metrics;

/* State of the worker after its last step. */
typedef struct Load {
    ServiceCounts counts;
    size_t waiting, running, pages, pages_free, pages_kept;
    size_t layers;            /* layers with pages */
    double tokens_per_second; /* recent average */
    size_t pictures;          /* encoded images, */
    double picture_seconds;   /* and the time for that, decode steps in between included */
} Load;

void metrics_open(Metrics *metrics);
void histogram_add(Histogram *histogram, double value);

/* Count a request to path number `path`, answered with an HTTP status. */
void metrics_count(Metrics *metrics, size_t path, int status);

/* Write Prometheus's text format, 0.0.4.
 *
 *   paths   (n) names of the paths */
void metrics_write(const Metrics *metrics, const Load *load, const char *const *paths, size_t n,
                   FILE *out);

#endif
