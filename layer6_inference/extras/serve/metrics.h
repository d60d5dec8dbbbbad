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

enum { BUCKETS = 14, METRIC_CODES = 16, METRIC_PATHS = 48 };

typedef struct Histogram {
    const double *limits; /* (BUCKETS) ascending */
    uint64_t count[BUCKETS + 1];
    double sum;
} Histogram;

typedef struct Metrics {
    Histogram first, gap, queue, prompt, answer;
    uint64_t requests[METRIC_PATHS][METRIC_CODES];
    size_t rejected;      /* for lack of slots */
    uint64_t log_dropped; /* lines; filled in by the reader */
    double start;
} Metrics;

/* State of the worker after its last step. */
typedef struct Load {
    ServiceCounts counts;
    size_t waiting, running;
    size_t pages, pages_free; /* and of these: kept for prefixes, or empty */
    size_t pages_used, pages_kept, pages_empty;
    size_t layers;            /* layers with pages */
    double tokens_per_second; /* recent average */
    size_t drafted, accepted; /* tokens of finished answers */
    size_t pictures;          /* encoded images, */
    double picture_seconds;   /* and the time for that, decode steps in between included */
} Load;

/* Of one model. */
typedef struct ModelMetrics {
    const char *name;
    Metrics metrics;
    Load load;
} ModelMetrics;

void metrics_open(Metrics *metrics);
void histogram_add(Histogram *histogram, double value);

/* Count a request to path number `path`, answered with an HTTP status. */
void metrics_count(Metrics *metrics, size_t path, int status);

/* Write Prometheus's text format, 0.0.4.
 *
 *   models   (count) several are told apart by a label; what is not a model's is the first's
 *   paths    (n) names of the paths */
void metrics_write(const ModelMetrics *models, size_t count, const char *const *paths, size_t n,
                   FILE *out);

#endif
