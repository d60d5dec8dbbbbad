/* serve.h - what strata bench serve is made of: serving a trace (serve.c), a table of it (serve_rows.c). */
#ifndef STRATA_BENCH_SERVE_H
#define STRATA_BENCH_SERVE_H

#include "bench.h"

enum { SERVE_STEPS = 100000 }; /* whose cost is kept, at most */

/* What one row measured. */
typedef struct ServeRow {
    double *firsts, *gaps; /* seconds to the first token of a user; between two */
    size_t n_firsts, n_gaps;
    StepSize *sizes; /* (SERVE_STEPS) what each step read ... */
    double *step_seconds;
    size_t n_steps;
    double start, seconds;
    double seen;  /* positions that tokens looked at, in all */
    size_t pages; /* in use at once, at most */
    ServiceCounts counts;
} ServeRow;

/* Serve all of a trace by a policy. */
bool serve_traffic(const BenchJob *job, const Traffic *traffic, Session *session,
                   SchedulePolicy policy, ServeRow *row, Fault *fault);

/* Measure what a service promises, and print it (serve_goals.c). */
bool serve_goals(const BenchJob *job, const Model *model, Fault *fault);

#endif
