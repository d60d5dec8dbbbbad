/* serve.c - strata bench serve: many concurrent users, for several numbers of slots.
 *
 * Every row serves the same users: a trace's, at their times, or a given number that all arrive
 * at the start.  Prompts are random words, fixed by the seed.  The first row has one slot: one
 * request after the other. */
#include "bench.h"
#include "input.h"
#include "serve.h"
#include "schedule.h"
#include "service.h"
#include "step_cost.h"
#include "traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ------------------------------------------------------------------ users */

/* The clock of users and service.  With --own-time, sleeping advances it. */
static const BenchJob *clock_of;
static double put_forward;

static double serve_now(void) { return bench_now(clock_of) + put_forward; }

static void sleep_until(double when) {
    double left = when - serve_now();
    if (left <= 0) return;
    if (clock_of->own_time)
        put_forward += left;
    else
        nanosleep(&(struct timespec){(time_t)left, (long)((left - (double)(time_t)left) * 1e9)},
                  NULL);
}

typedef struct User {
    TokenList tokens;
    Chain chain;
    ServiceRequest request;
    double last; /* time of its last token */
    ServeRow *row;
} User;

static bool serve_note_token(void *context, const Choice *choice) {
    User *u = context;
    double time = serve_now();
    if (choice->step == 0)
        u->row->firsts[u->row->n_firsts++] = time - u->request.arrival;
    else
        u->row->gaps[u->row->n_gaps++] = time - u->last;
    u->last = time;
    return true;
}

static bool make_user(const BenchJob *job, User *u, size_t i, const Visit *v,
                      const Model *model, ServeRow *row, Fault *fault) {
    const size_t vocab = model->sizes.vocab;
    u->row = row;
    for (size_t k = 0; k < (size_t)job->shared; k++)
        token_list_add(&u->tokens, (int32_t)(rng_hash(9, 0, k) % vocab));
    for (size_t k = 0; k < v->prompt; k++)
        token_list_add(&u->tokens, (int32_t)(rng_hash(8, i, v->prompt - k) % vocab));
    u->request =
        (ServiceRequest){.tokens = &u->tokens,
                         .options = {.chain = &u->chain,
                                     .seed = i,
                                     .limits = {.max_tokens = v->answer, .only_bos_ends = true},
                                     .on_choice = serve_note_token,
                                     .context = u},
                         .priority = v->priority,
                         .user = v->user};
    return bench_open_chain(&u->chain, model, fault);
}

static void forget_users(User *users, size_t n) {
    for (size_t i = 0; users && i < n; i++)
        token_list_free(&users[i].tokens), chain_close(&users[i].chain);
    free(users);
}

/* ------------------------------------------------------------------ serving */

/* Record the step's size and duration. */
static void note_step(ServeRow *row, const Service *service, double seconds) {
    const KvCache *kv = &service->engine.runners[0].session->kv;
    const StepSize size = service->last;
    row->seen += size.seen;
    if (kv->pages.count - kv->pages.free_count > row->pages)
        row->pages = kv->pages.count - kv->pages.free_count;
    if (row->n_steps == SERVE_STEPS || size.tokens == 0) return;
    row->sizes[row->n_steps] = size, row->step_seconds[row->n_steps++] = seconds;
}

/* Users whose arrival time has passed join the queue. */
static bool let_come(const Traffic *t, User *users, Service *service, ServeRow *row,
                     size_t *come, Fault *fault) {
    if (service->count == 0 && *come < t->count)
        sleep_until(row->start + t->visits[*come].arrival);
    for (; *come < t->count && row->start + t->visits[*come].arrival <= serve_now(); ++*come) {
        if (!service_submit(service, &users[*come].request, fault)) return false;
        /* the true arrival, not the end of the previous step */
        users[*come].request.arrival = row->start + t->visits[*come].arrival;
    }
    return true;
}

static bool serve_bench_all(const Traffic *t, Service *service, User *users, ServeRow *row,
                            Fault *fault) {
    size_t come = 0;
    while (come < t->count || service->count) {
        const bool idle = service->count == 0;
        /* users see whole steps, so tokens within one arrive together */
        double before = serve_now();
        if (!let_come(t, users, service, row, &come, fault)) return false;
        if (idle) before = serve_now();
        if (!service_step(service, fault)) return false;
        note_step(row, service, serve_now() - before);
    }
    for (size_t i = 0; i < t->count; i++)
        if (users[i].request.end == REQUEST_FAILED)
            return *fault = users[i].request.fault, false;
    return true;
}

static bool serve_users(const Serve *v, const Traffic *t, Session *session,
                        SchedulePolicy policy, ServeRow *row, Fault *fault) {
    clock_of = v->job, put_forward = 0;
    Service service = {0};
    User *users = calloc(t->count, sizeof *users);
    bool ok = users || fault_set(fault, "no memory for %zu users", t->count);
    for (size_t i = 0; ok && i < t->count; i++)
        ok = make_user(v->job, &users[i], i, &t->visits[i], v->model, row, fault);
    if (ok) {
        ok = service_open(&service, session, policy, fault);
        service.clock = serve_now, row->start = serve_now();
        ok = ok && serve_bench_all(t, &service, users, row, fault);
        row->seconds = serve_now() - row->start, row->counts = service.counts;
        service_close(&service);
    }
    forget_users(users, t->count);
    return ok;
}

bool serve_traffic(const Serve *v, const Traffic *t, SchedulePolicy policy, ServeRow *row,
                   Fault *fault) {
    const size_t shared = (size_t)v->job->shared;
    SessionConfig config = {.ctx = v->longest,
                            .sequences = policy.running,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = policy.running,
                            .prefixes = shared ? shared / KV_PAGE + 8 : 0,
                            .kv = v->job->compute.kv_format};
    Session session = {0};
    bool ok = serve_row_open(row, t, fault) &&
              session_open(&session, v->model, v->job->compute.pool, config, fault) &&
              serve_users(v, t, &session, policy, row, fault);
    if (session.model) session_close(&session);
    return ok;
}

/* ------------------------------------------------------------------ what it measured */

bool serve_row_open(ServeRow *r, const Traffic *t, Fault *fault) {
    size_t gaps = 1;
    for (size_t i = 0; i < t->count; i++) gaps += t->visits[i].answer;
    *r = (ServeRow){.firsts = calloc(t->count, sizeof(double)),
                    .gaps = calloc(gaps, sizeof(double)),
                    .sizes = malloc(SERVE_STEPS * sizeof(StepSize)),
                    .step_seconds = malloc(SERVE_STEPS * sizeof(double))};
    return (r->firsts && r->gaps && r->sizes && r->step_seconds) ||
           fault_set(fault, "no memory for the times of %zu tokens", gaps);
}

void serve_row_free(ServeRow *r) {
    free(r->firsts), free(r->gaps), free(r->sizes), free(r->step_seconds);
    *r = (ServeRow){0};
}

void serve_row_keep(ServeRow *all, const ServeRow *r) {
    for (size_t i = 0; i < r->n_steps && all->n_steps < SERVE_STEPS; i++, all->n_steps++)
        all->sizes[all->n_steps] = r->sizes[i],
        all->step_seconds[all->n_steps] = r->step_seconds[i];
}
