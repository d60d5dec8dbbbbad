/* serve_rows.c - the table of strata bench serve, and the costs of steps.  See serve.c.
 *
 * The roof of a row is what memory alone allows: in each step all weights are read once, and every
 * token's past.  What is computed beside comes on top of that, or hides behind it. */
#include "input.h"
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Serve {
    const BenchJob *job;
    const Model *model;
    Traffic traffic;
    size_t longest;     /* text */
    double weights, kv; /* bytes that a step reads; of a token's keys and values */
    ServeRow all;       /* the steps of all rows that are not static */
} Serve;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t n, double share) {
    return n ? 1000 * sorted[(size_t)(share * (double)(n - 1) + 0.5)] : 0;
}

static void print_titles(const Serve *v) {
    if (!v->job->json)
        printf("%6s  %-10s %10s %10s %9s %9s %9s %9s %9s %7s %6s %7s %9s\n", "places", "batch",
               "tokens/s", "roof", "first p50", "p95 ms", "gap p50", "p95", "max ms", "steps",
               "pages", "cached", "preempted");
}

static void print_row(const Serve *v, const SchedulePolicy *p, ServeRow *r, double bandwidth) {
    qsort(r->firsts, r->n_firsts, sizeof *r->firsts, by_size);
    qsort(r->gaps, r->n_gaps, sizeof *r->gaps, by_size);
    const char *kind = p->static_batch ? "static" : "continuous";
    double bytes = v->weights * (double)r->counts.steps + v->kv * r->seen,
           roof = (double)r->counts.tokens / (bytes / 1e9 / bandwidth),
           rate = (double)r->counts.tokens / r->seconds,
           f50 = percentile(r->firsts, r->n_firsts, .5),
           f95 = percentile(r->firsts, r->n_firsts, .95),
           g50 = percentile(r->gaps, r->n_gaps, .5), g95 = percentile(r->gaps, r->n_gaps, .95),
           most = percentile(r->gaps, r->n_gaps, 1);
    printf(v->job->json
               ? "{\"places\":%zu,\"batch\":\"%s\",\"tokens_per_second\":%.2f,\"roof\":%.2f,"
                 "\"first_p50_ms\":%.2f,\"first_p95_ms\":%.2f,\"gap_p50_ms\":%.3f,"
                 "\"gap_p95_ms\":%.3f,\"gap_max_ms\":%.3f,\"steps\":%zu,\"pages\":%zu,"
                 "\"cached\":%zu,\"preempted\":%zu}\n"
               : "%6zu  %-10s %10.1f %10.1f %9.0f %9.0f %9.2f %9.2f %9.2f %7zu %6zu %7zu "
                 "%9zu\n",
           p->running, kind, rate, roof, f50, f95, g50, g95, most, r->counts.steps, r->pages,
           r->counts.cached_tokens, r->counts.preempted);
    fflush(stdout);
}

/* ------------------------------------------------------------------ rows */

static bool open_row(ServeRow *r, const Traffic *t, Fault *fault) {
    size_t gaps = 1;
    for (size_t i = 0; i < t->count; i++) gaps += t->visits[i].answer;
    *r = (ServeRow){.firsts = calloc(t->count, sizeof(double)),
                    .gaps = calloc(gaps, sizeof(double)),
                    .sizes = malloc(SERVE_STEPS * sizeof(StepSize)),
                    .step_seconds = malloc(SERVE_STEPS * sizeof(double))};
    return (r->firsts && r->gaps && r->sizes && r->step_seconds) ||
           fault_set(fault, "no memory for the times of %zu tokens", gaps);
}

static void close_row(ServeRow *r) {
    free(r->firsts), free(r->gaps), free(r->sizes), free(r->step_seconds);
}

static void keep_steps(ServeRow *all, const ServeRow *r) {
    for (size_t i = 0; i < r->n_steps && all->n_steps < SERVE_STEPS; i++, all->n_steps++)
        all->sizes[all->n_steps] = r->sizes[i],
        all->step_seconds[all->n_steps] = r->step_seconds[i];
}

static bool measure_row(Serve *v, SchedulePolicy policy, Fault *fault) {
    const size_t shared = (size_t)v->job->shared;
    SessionConfig config = {.ctx = v->longest,
                            .sequences = policy.running,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = policy.running,
                            .prefixes = shared ? shared / KV_PAGE + 8 : 0,
                            .kv = v->job->compute.kv_format};
    Session session = {0};
    ServeRow row = {0};
    Pool *pool = v->job->compute.pool;
    double before = bandwidth_gigabytes(pool, 0.1).median;
    bool ok = open_row(&row, &v->traffic, fault) &&
              session_open(&session, v->model, pool, config, fault) &&
              serve_traffic(v->job, &v->traffic, &session, policy, &row, fault);
    if (ok) print_row(v, &policy, &row, (before + bandwidth_gigabytes(pool, 0.1).median) / 2);
    if (ok && !policy.static_batch && v->all.sizes) keep_steps(&v->all, &row);
    if (session.model) session_close(&session);
    close_row(&row);
    return ok;
}

static bool measure_rows(Serve *v, Fault *fault) {
    static const size_t places[] = {1, 2, 4, 8, 16, 32};
    SchedulePolicy policy = {
        .budget = PREFILL_BATCH, .chunk = PREFILL_BATCH / 4, .waiting = v->traffic.count};
    print_titles(v);
    for (size_t i = 0;
         i < sizeof places / sizeof *places && (i == 0 || places[i - 1] < v->traffic.count);
         i++) {
        if (v->job->places && i > 0) break;
        policy.running = v->job->places ? (size_t)v->job->places : places[i];
        for (int rigid = 0; rigid < 1 + (policy.running > 1); rigid++) {
            policy.static_batch = rigid;
            if (!measure_row(v, policy, fault)) return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

static bool write_costs(const Serve *v, FileOut *out, Fault *fault) {
    if (!out->stream) return true;
    StepCost cost;
    if (!step_cost_fit(v->all.sizes, v->all.step_seconds, v->all.n_steps, &cost, fault))
        return false;
    step_cost_write(&cost, out->stream);
    if (!v->job->json)
        printf("\na step takes %.3f ms, and of each token %.4f, of each row of logits %.4f, "
               "of a thousand positions seen %.4f\n",
               1e3 * cost.step, 1e3 * cost.token, 1e3 * cost.row, 1e6 * cost.seen);
    return file_end(out, fault);
}

static bool find_traffic(Serve *v, Fault *fault) {
    const BenchJob *job = v->job;
    const TrafficShape shape = {.count = (size_t)job->users,
                                .prompt = (size_t)job->prompt,
                                .answer = (size_t)job->count,
                                .seed = 7};
    size_t size;
    if (!job->trace) return traffic_make(&v->traffic, &shape, fault);
    char *text = read_named(job->trace, &size, fault);
    bool ok = text && traffic_read(&v->traffic, (Text){text, size}, fault);
    free(text);
    return ok;
}

static bool fits(Serve *v, Fault *fault) {
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

static bool run(Serve *v, const char *path, FileOut *costs, Fault *fault) {
    const BenchJob *job = v->job;
    v->weights = bench_bytes_per_token(v->model);
    v->kv = bench_kv_bytes(v->model, job->compute.kv_format);
    if (!find_traffic(v, fault) || !fits(v, fault)) return false;
    if (job->costs &&
        (!open_row(&v->all, &v->traffic, fault) || !table_begin(costs, job->costs, fault)))
        return false;
    if (!job->json)
        printf("%s, %zu users, texts of up to %zu tokens, kv %s, %d threads, %s\n\n", path,
               v->traffic.count, v->longest, kv_format_name(job->compute.kv_format),
               pool_threads(job->compute.pool), kernels_isa());
    return measure_rows(v, fault) && write_costs(v, costs, fault);
}

bool bench_serve(BenchJob *job, Fault *fault) {
    Model model;
    FileOut costs = {0};
    Serve v = {.job = job, .model = &model};
    char text[1024];
    const char *path = job->model;
    if (!choose_model(&path, text, sizeof text, fault) || !compute_open(&job->compute, fault))
        return false;
    bool ok = compute_load_model(&job->compute, path, &model, fault);
    if (ok) {
        ok = job->goals ? serve_goals(job, &model, fault) : run(&v, path, &costs, fault);
        file_drop(&costs);
        close_row(&v.all), traffic_free(&v.traffic);
        model_close(&model);
    }
    compute_close(&job->compute);
    return ok;
}
