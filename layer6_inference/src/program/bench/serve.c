/* serve.c - strata bench serve: many users at once, for several numbers of places.
 *
 * Every row serves the same users, who all come at the start: prompts of random words, answers of
 * random length, the same for a seed.  The first row, one place, is one text after the other. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct User {
    TokenList tokens;
    Chain chain;
    ServiceRequest request;
    double last; /* when it got its last token */
    struct Row *row;
} User;

/* What one row measured. */
typedef struct Row {
    double *gaps, *firsts; /* seconds between two tokens of a user; to the first one */
    size_t n_gaps, n_firsts;
    double seconds;
    ServiceCounts counts;
} Row;

static bool note_token(void *context, const Choice *choice) {
    User *u = context;
    double now = clock_seconds();
    if (choice->step == 0)
        u->row->firsts[u->row->n_firsts++] = now - u->request.arrival;
    else
        u->row->gaps[u->row->n_gaps++] = now - u->last;
    u->last = now;
    return true;
}

/* Users differ: a prompt has half to one and a half times -p tokens, an answer of -n. */
static size_t about(size_t mean, size_t user, size_t stream) {
    return mean / 2 + 1 + rng_hash(7, stream, user) % mean;
}

static bool make_user(const BenchJob *job, User *u, size_t i, const Model *model, Row *row,
                      Fault *fault) {
    u->row = row;
    for (size_t k = about((size_t)job->prompt, i, 0); k > 0; k--)
        token_list_add(&u->tokens, (int32_t)(rng_hash(8, i, k) % model->sizes.vocab));
    u->request =
        (ServiceRequest){.tokens = &u->tokens,
                         .options = {.chain = &u->chain,
                                     .seed = i,
                                     .limits = {.max_tokens = about((size_t)job->count, i, 1),
                                                .only_bos_ends = true},
                                     .on_choice = note_token,
                                     .context = u}};
    return chain_parse(&u->chain, "draw", model->tokenizer, fault);
}

static bool serve(const BenchJob *job, Session *session, SchedulePolicy policy, User *users,
                  Row *row, Fault *fault) {
    Service service;
    bool ok = service_open(&service, session, policy, fault);
    double start = clock_seconds();
    for (long i = 0; ok && i < job->users; i++)
        ok = make_user(job, &users[i], (size_t)i, session->model, row, fault) &&
             service_submit(&service, &users[i].request, fault);
    while (ok && service.count) ok = service_step(&service, fault);
    for (long i = 0; ok && i < job->users; i++)
        if (users[i].request.end == REQUEST_FAILED) *fault = users[i].request.fault, ok = false;
    row->seconds = clock_seconds() - start, row->counts = service.counts;
    service_close(&service);
    return ok;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t n, double share) {
    return n ? 1000 * sorted[(size_t)(share * (double)(n - 1) + 0.5)] : 0;
}

static void print_row(const BenchJob *job, const SchedulePolicy *p, Row *r) {
    qsort(r->firsts, r->n_firsts, sizeof *r->firsts, by_size);
    qsort(r->gaps, r->n_gaps, sizeof *r->gaps, by_size);
    const char *kind = p->static_batch ? "static" : "continuous";
    double rate = (double)r->counts.tokens / r->seconds,
           f50 = percentile(r->firsts, r->n_firsts, .5),
           f95 = percentile(r->firsts, r->n_firsts, .95),
           g50 = percentile(r->gaps, r->n_gaps, .5), g95 = percentile(r->gaps, r->n_gaps, .95),
           most = percentile(r->gaps, r->n_gaps, 1);
    printf(job->json ? "{\"places\":%zu,\"batch\":\"%s\",\"tokens_per_second\":%.2f,"
                       "\"first_p50_ms\":%.2f,\"first_p95_ms\":%.2f,\"gap_p50_ms\":%.3f,\"gap_"
                       "p95_ms\":%.3f,"
                       "\"gap_max_ms\":%.3f,\"steps\":%zu,\"preempted\":%zu}\n"
                     : "%6zu  %-10s %10.1f %9.0f %9.0f %9.2f %9.2f %9.2f %7zu %9zu\n",
           p->running, kind, rate, f50, f95, g50, g95, most, r->counts.steps,
           r->counts.preempted);
}

static bool measure_row(const BenchJob *job, const Model *model, SchedulePolicy policy,
                        Fault *fault) {
    const size_t n = (size_t)job->users,
                 longest = (size_t)(3 * (job->prompt + job->count)) / 2 + 4;
    Session session = {0};
    Row row = {0};
    User *users = calloc(n, sizeof *users);
    row.firsts = calloc(n, sizeof(double));
    row.gaps = calloc(n * ((size_t)job->count * 3 / 2 + 2), sizeof(double));
    bool ok =
        (users && row.firsts && row.gaps) || fault_set(fault, "no memory for %zu users", n);
    ok = ok && session_open(&session, model, job->compute.pool,
                            (SessionConfig){.ctx = longest,
                                            .sequences = policy.running,
                                            .max_tokens = PREFILL_BATCH,
                                            .max_logits = policy.running,
                                            .kv = job->compute.kv_format},
                            fault);
    ok = ok && serve(job, &session, policy, users, &row, fault);
    if (ok) print_row(job, &policy, &row);
    for (size_t i = 0; users && i < n; i++)
        token_list_free(&users[i].tokens), chain_close(&users[i].chain);
    if (session.model) session_close(&session);
    free(users), free(row.firsts), free(row.gaps);
    return ok;
}

static bool measure_rows(const BenchJob *job, const Model *model, Fault *fault) {
    static const size_t places[] = {1, 2, 4, 8, 16, 32};
    SchedulePolicy policy = {
        .budget = PREFILL_BATCH, .chunk = PREFILL_BATCH / 4, .waiting = (size_t)job->users};
    if (!job->json)
        printf("%6s  %-10s %10s %9s %9s %9s %9s %9s %7s %9s\n", "places", "batch", "tokens/s",
               "first p50", "p95 ms", "gap p50", "p95", "max ms", "steps", "preempted");
    for (size_t i = 0;
         i < sizeof places / sizeof *places && (i == 0 || places[i - 1] < (size_t)job->users);
         i++) {
        policy.running = places[i];
        for (int rigid = 0; rigid < 1 + (places[i] > 1); rigid++) {
            policy.static_batch = rigid;
            if (!measure_row(job, model, policy, fault)) return false;
        }
    }
    return true;
}

bool bench_serve(BenchJob *job, Fault *fault) {
    Model model;
    char text[1024];
    const char *path = job->model;
    if (!choose_model(&path, text, sizeof text, fault) || !compute_open(&job->compute, fault))
        return false;
    bool ok = compute_load_model(&job->compute, path, &model, fault);
    if (ok) {
        size_t longest = (size_t)(3 * (job->prompt + job->count)) / 2 + 4;
        ok = longest <= model.sizes.ctx ||
             fault_set(fault,
                       "texts of up to %zu tokens are longer than the model's context of %zu: "
                       "give a smaller -p or -n",
                       longest, model.sizes.ctx);
        if (ok && !job->json)
            printf("%s, %ld users, prompts of about %ld tokens, answers of %ld, %d threads, "
                   "%s\n\n",
                   path, job->users, job->prompt, job->count, pool_threads(job->compute.pool),
                   kernels_isa());
        ok = ok && measure_rows(job, &model, fault);
        model_close(&model);
    }
    compute_close(&job->compute);
    return ok;
}
