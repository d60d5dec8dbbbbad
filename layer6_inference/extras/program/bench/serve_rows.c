/* serve_rows.c - the table of strata bench serve.  See serve.c.
 *
 * A row's bound is what memory bandwidth allows: each step reads all weights once, and every
 * token's keys and values.  Computation adds to that or overlaps it. */
#include "input.h"
#include "serve.h"
#include "schedule.h"
#include "traffic.h"

#include <stdio.h>
#include <stdlib.h>

static void print_titles(const Serve *v) {
    if (!v->job->json)
        printf("%6s  %-10s %10s %10s %9s %9s %9s %9s %9s %7s %6s %7s %9s\n", "places", "batch",
               "tokens/s", "roof", "first p50", "p95 ms", "gap p50", "p95", "max ms", "steps",
               "pages", "cached", "preempted");
}

static void serve_rows_print_row(const Serve *v, const SchedulePolicy *p, ServeRow *r,
                                 double bandwidth) {
    const char *kind = p->static_batch ? "static" : "continuous";
    double bytes = v->weights * (double)r->counts.steps + v->kv * r->seen,
           roof = (double)r->counts.tokens / (bytes / 1e9 / bandwidth),
           rate = (double)r->counts.tokens / r->seconds,
           f50 = 1000 * percentile(r->firsts, r->n_firsts, .5),
           f95 = 1000 * percentile(r->firsts, r->n_firsts, .95),
           g50 = 1000 * percentile(r->gaps, r->n_gaps, .5),
           g95 = 1000 * percentile(r->gaps, r->n_gaps, .95),
           most = 1000 * percentile(r->gaps, r->n_gaps, 1);
    printf(
        v->job->json
            ? "{\"places\":%zu,\"batch\":\"%s\",\"tokens_per_second\":%.2f,\"roof\":%.2f,"
              "\"first_p50_ms\":%.2f,\"first_p95_ms\":%.2f,\"gap_p50_ms\":%.3f,\"gap_p95_ms\":%"
              ".3f,\"gap_max_ms\":%.3f,\"steps\":%zu,\"pages\":%zu,\"cached\":%zu,"
              "\"preempted\":%zu}\n"
            : "%6zu  %-10s %10.1f %10.1f %9.0f %9.0f %9.2f %9.2f %9.2f %7zu %6zu %7zu %9zu\n",
        p->running, kind, rate, roof, f50, f95, g50, g95, most, r->counts.steps, r->pages,
        r->counts.cached_tokens, r->counts.preempted);
    fflush(stdout);
}

/* ------------------------------------------------------------------ rows */

static bool measure_row(Serve *v, SchedulePolicy policy, Fault *fault) {
    ServeRow row = {0};
    Pool *pool = v->job->compute.pool;
    double before = bench_bandwidth(pool);
    bool ok = serve_traffic(v, &v->traffic, policy, &row, fault);
    if (ok) serve_rows_print_row(v, &policy, &row, (before + bench_bandwidth(pool)) / 2);
    if (ok && v->all.sizes) serve_row_keep(&v->all, &row);
    serve_row_free(&row);
    return ok;
}

static bool measure_rows(Serve *v, Fault *fault) {
    static const size_t places[] = {1, 2, 4, 8, 16, 32};
    SchedulePolicy policy = {.budget = PREFILL_BATCH, .waiting = v->traffic.count};
    print_titles(v);
    for (size_t i = 0;
         i < sizeof places / sizeof *places && (i == 0 || places[i - 1] < v->traffic.count);
         i++) {
        if (v->job->places && i > 0) break;
        policy.running = v->job->places ? (size_t)v->job->places : places[i];
        for (int rigid = 0; rigid < 1 + (policy.running > 1); rigid++) {
            policy.static_batch = rigid, policy.chunk = rigid ? 0 : PREFILL_BATCH / 4;
            if (!measure_row(v, policy, fault)) return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

static bool find_traffic(Serve *v, Fault *fault) {
    const BenchJob *job = v->job;
    const TrafficShape shape = {.count = (size_t)job->users,
                                .prompt = (size_t)job->prompt,
                                .answer = (size_t)job->count,
                                .seed = 7};
    size_t size;
    if (!job->trace) return traffic_make(&v->traffic, &shape, fault);
    char *text = read_named(job->trace, &size, fault);
    bool ok = text && (traffic_read(&v->traffic, (Text){text, size}, fault) ||
                       fault_prefix(fault, job->trace));
    free(text);
    return ok;
}

static bool serve_rows_fits(Serve *v, Fault *fault) {
    for (size_t i = 0; i < v->traffic.count; i++)
        v->longest =
            max_size(v->longest, v->traffic.visits[i].prompt + v->traffic.visits[i].answer +
                                     (size_t)v->job->shared + 2);
    return v->longest <= v->model->sizes.ctx ||
           fault_set(fault,
                     "texts of up to %zu tokens are longer than the model's context of %zu: "
                     "give smaller prompts and answers",
                     v->longest, v->model->sizes.ctx);
}

static bool measure_serve(Serve *v, const char *path, FileOut *costs, Fault *fault) {
    const BenchJob *job = v->job;
    v->weights = bench_bytes_per_token(v->model);
    v->kv = bench_kv_bytes(v->model, job->compute.kv_format);
    if (!find_traffic(v, fault) || !serve_rows_fits(v, fault)) return false;
    if (job->costs && (!serve_row_open(&v->all, &v->traffic, fault) ||
                       !table_begin(costs, job->costs, fault)))
        return false;
    if (!job->json)
        printf("%s, %zu users, texts of up to %zu tokens, kv %s, %d threads, %s\n\n", path,
               v->traffic.count, v->longest, kv_format_name(job->compute.kv_format),
               pool_threads(job->compute.pool), kernels_isa());
    return measure_rows(v, fault) && (!costs->stream || serve_costs(v, costs, fault));
}

bool bench_serve(BenchJob *job, LoadedModel *m, Fault *fault) {
    FileOut costs = {0};
    Serve v = {.job = job, .model = &m->own};
    bool ok = job->goals ? serve_goals(job, &m->own, fault)
                         : measure_serve(&v, job->model, &costs, fault);
    file_drop(&costs);
    serve_row_free(&v.all), traffic_free(&v.traffic);
    return ok;
}
