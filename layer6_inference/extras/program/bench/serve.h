/* serve.h - shared by strata bench serve: running a trace (serve.c), its table (serve_rows.c),
 * step costs (serve_costs.c), goals (serve_goals.c). */
#ifndef STRATA_BENCH_SERVE_H
#define STRATA_BENCH_SERVE_H

#include "bench.h"
#include "schedule.h"
#include "service.h"
#include "step_cost.h"
#include "traffic.h"

enum { SERVE_STEPS = 100000 }; /* max steps recorded */

/* Results of a row. */
typedef struct ServeRow {
    double *firsts, *gaps; /* seconds to a user's first token; between two tokens */
    size_t n_firsts, n_gaps;
    StepSize *sizes; /* (SERVE_STEPS) what each step read ... */
    double *step_seconds;
    size_t n_steps;
    double start, seconds;
    double seen;  /* sum of attended positions over all tokens */
    size_t pages; /* max in use at once */
    ServiceCounts counts;
} ServeRow;

typedef struct Serve {
    const BenchJob *job;
    const Model *model;
    Traffic traffic;
    size_t longest;     /* text */
    double weights, kv; /* bytes of weights per step; of keys and values per token */
    ServeRow all;       /* the steps of all rows */
} Serve;

/* Allocate for all measurements of the traffic; call serve_row_free even after a failure. */
bool serve_row_open(ServeRow *row, const Traffic *traffic, Fault *fault);
void serve_row_free(ServeRow *row);

/* Append the steps of another row. */
void serve_row_keep(ServeRow *all, const ServeRow *row);

/* Serve a whole trace by a policy, in a new session. */
bool serve_traffic(const Serve *serve, const Traffic *traffic, SchedulePolicy policy,
                   ServeRow *row, Fault *fault);

/* Measure and write the step costs, and print how well they predict the steps of all rows. */
bool serve_costs(const Serve *serve, FileOut *out, Fault *fault);

/* Measure and print the goals (serve_goals.c). */
bool serve_goals(const BenchJob *job, const Model *model, Fault *fault);

#endif
