/* serve.h - what strata bench serve is made of: serving a trace (serve.c), a table of it
 * (serve_rows.c), what a step costs (serve_costs.c), promises (serve_goals.c). */
#ifndef STRATA_BENCH_SERVE_H
#define STRATA_BENCH_SERVE_H

#include "bench.h"
#include "schedule.h"
#include "service.h"
#include "step_cost.h"
#include "traffic.h"

enum { SERVE_STEPS = 100000 }; /* whose cost is kept, at most */

/* Results of a row. */
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

typedef struct Serve {
    const BenchJob *job;
    const Model *model;
    Traffic traffic;
    size_t longest;     /* text */
    double weights, kv; /* bytes that a step reads; of a token's keys and values */
    ServeRow all;       /* the steps of all rows */
} Serve;

/* Room for what serving the traffic can measure; serve_row_free may be called in any case. */
bool serve_row_open(ServeRow *row, const Traffic *traffic, Fault *fault);
void serve_row_free(ServeRow *row);

/* The steps of one more row. */
void serve_row_keep(ServeRow *all, const ServeRow *row);

/* Serve all of a trace by a policy, in a session of its own. */
bool serve_traffic(const Serve *serve, const Traffic *traffic, SchedulePolicy policy,
                   ServeRow *row, Fault *fault);

/* Measure and write the step costs, and print how well they predict the steps of all rows. */
bool serve_costs(const Serve *serve, FileOut *out, Fault *fault);

/* Measure the goals, and print them (serve_goals.c). */
bool serve_goals(const BenchJob *job, const Model *model, Fault *fault);

#endif
