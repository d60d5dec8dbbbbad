/* serve_goals.c - strata bench serve --goals: three goals of a service and their measures.
 *
 *     decode   tokens/s of concurrent answers: share of a step spent in products and in reading
 *              keys and values; the rest is serving overhead
 *     gaps     answers during a long prefill: the longest of 20 gaps, in decode steps
 *     warm     time to the first token of a cached prompt, relative to its first time */
#include "profile.h"
#include "serve.h"
#include "schedule.h"
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRITERS = 8,
    PROMPT = 2048,
    BEFORE = 64,
    WRITTEN = 96,
    ALONE = 16,
    GAPS = 4096,
    GOAL_SCOPES = 200000
};

typedef struct Asker {
    TokenList tokens;
    Chain chain;
    ServiceRequest request;
    struct Goals *goals;
    /* time of the request; seconds to the first token; time of the last */
    double asked, first, last;
} Asker;

typedef struct Goals {
    const BenchJob *job;
    const Model *model;
    Session session;
    Service service;
    size_t prompt;
    Asker asker[WRITERS + 1];
    double gap[GAPS], step[GAPS];
    size_t gaps, steps;
    bool watch;    /* record gaps */
    uint64_t seed; /* of this round's words, so that no prompt is cached unintentionally */
} Goals;

/* The service measures step times with the benchmark's clock. */
static const BenchJob *clock_of;
static double serve_goals_now(void) { return bench_now(clock_of); }

static bool serve_goals_note_token(void *context, const Choice *choice) {
    Asker *a = context;
    Goals *g = a->goals;
    double time = serve_goals_now();
    if (choice->step == 0) a->first = time - a->asked;
    if (choice->step && g->watch && g->gaps < GAPS) g->gap[g->gaps++] = time - a->last;
    a->last = time;
    return true;
}

/* Add a request: random words of this seed, prompt length, answer length. */
static bool serve_goals_ask(Goals *g, size_t i, uint64_t seed, size_t prompt, size_t answer,
                            Fault *fault) {
    Asker *a = &g->asker[i];
    token_list_free(&a->tokens), chain_close(&a->chain);
    *a = (Asker){.goals = g, .asked = serve_goals_now()};
    for (size_t k = 0; k < prompt; k++)
        token_list_add(&a->tokens, (int32_t)(rng_hash(seed, i, k) % g->model->sizes.vocab));
    a->request =
        (ServiceRequest){.tokens = &a->tokens,
                         .options = {.chain = &a->chain,
                                     .seed = i,
                                     .limits = {.max_tokens = answer, .only_bos_ends = true},
                                     .on_choice = serve_goals_note_token,
                                     .context = a}};
    return bench_open_chain(&a->chain, g->model, fault) &&
           service_submit(&g->service, &a->request, fault);
}

static bool run_until_over(Goals *g, Fault *fault) {
    while (g->service.count)
        if (!service_step(&g->service, fault)) return false;
    return true;
}

/* Prefill n requests until each has its first token. */
static bool begin_writers(Goals *g, size_t n, uint64_t seed, Fault *fault) {
    bool all = false;
    for (size_t i = 0; i < n; i++)
        if (!serve_goals_ask(g, i, seed, BEFORE, WRITTEN + PROMPT, fault)) return false;
    while (!all) {
        if (!service_step(&g->service, fault)) return false;
        all = true;
        for (size_t i = 0; i < n; i++) all &= g->asker[i].first > 0;
    }
    return true;
}

static bool end_writers(Goals *g, Fault *fault) {
    for (size_t i = 0; i <= WRITERS; i++) g->asker[i].request.cancelled = true;
    return run_until_over(g, fault);
}

/* ------------------------------------------------------------------ decode */

/* Total seconds of all scopes with this name. */
static double seconds_of(const Profile *p, const char *name) {
    double sum = 0;
    for (size_t i = 0; i < p->n_rows; i++)
        if (strcmp(p->rows[i].name, name) == 0) sum += p->rows[i].sum;
    return sum;
}

/* One round: the share, and tokens a second. */
static bool decode_round(Goals *g, uint64_t seed, double *share, double *rate, Fault *fault) {
    Profile profile = {0};
    double bandwidth = bench_bandwidth(g->job->compute.pool),
           kv = bench_kv_bytes(g->model, g->job->compute.kv_format), seen = 0;
    if (!begin_writers(g, WRITERS, seed, fault) || !profile_start(&profile, GOAL_SCOPES, fault))
        return false;
    bool ok = true;
    double start = clock_seconds();
    for (size_t k = 0; ok && k < WRITTEN; k++) {
        ok = service_step(&g->service, fault);
        seen += WRITERS * (double)(BEFORE + 1 + k);
    }
    double seconds = clock_seconds() - start;
    profile_stop(&profile);
    *share = (seconds_of(&profile, "weights") + kv * seen / 1e9 / bandwidth) / seconds;
    *rate = WRITERS * WRITTEN / seconds;
    profile_free(&profile);
    return ok && end_writers(g, fault);
}

/* ------------------------------------------------------------------ gaps, and what was read
 * before */

/* Time n steps, or all until a request has its first token. */
static bool time_steps(Goals *g, size_t n, const Asker *until, Fault *fault) {
    for (g->steps = 0; g->steps < n && !(until && until->first > 0);) {
        double before = serve_goals_now();
        if (!service_step(&g->service, fault)) return false;
        g->step[g->steps++] = serve_goals_now() - before;
    }
    return true;
}

/* One round: the longest of 20 gaps, in seconds and in decode steps before the prompt
 * arrives. */
static bool gap_round(Goals *g, uint64_t seed, double *gap, double *steps, Fault *fault) {
    const Asker *late = &g->asker[WRITERS];
    g->gaps = 0;
    if (!begin_writers(g, WRITERS / 2, seed, fault) || !time_steps(g, ALONE, NULL, fault))
        return false;
    double step = percentile(g->step, g->steps, 0.5);
    g->watch = true;
    if (!serve_goals_ask(g, WRITERS, seed, g->prompt, 1, fault) ||
        !time_steps(g, GAPS, late, fault))
        return false;
    g->watch = false;
    *gap = percentile(g->gap, g->gaps, 0.95), *steps = *gap / step;
    return end_writers(g, fault);
}

static bool warm_round(Goals *g, uint64_t seed, double *warm, double *share, Fault *fault) {
    double first[2];
    for (int i = 0; i < 2; i++) {
        if (!serve_goals_ask(g, WRITERS, seed, g->prompt, 1, fault) ||
            !run_until_over(g, fault))
            return false;
        first[i] = g->asker[WRITERS].first;
    }
    *warm = first[1], *share = first[1] / first[0];
    return true;
}

/* ------------------------------------------------------------------ all three */

typedef bool GoalRound(Goals *g, uint64_t seed, double *a, double *b, Fault *fault);

/* The medians of two measures. */
static bool serve_goals_measure(Goals *g, GoalRound *round, double *a, double *b,
                                Fault *fault) {
    double first[64], second[64];
    for (long r = 0; r < g->job->rounds; r++)
        if (!round(g, ++g->seed, &first[r], &second[r], fault)) return false;
    *a = percentile(first, (size_t)g->job->rounds, 0.5);
    *b = percentile(second, (size_t)g->job->rounds, 0.5);
    return true;
}

static const char *reached(bool is) { return is ? "reached" : "MISSED"; }

static bool run_goals(Goals *g, Fault *fault) {
    double a, b;
    if (!serve_goals_measure(g, decode_round, &a, &b, fault)) return false;
    printf("decode   %d texts write %.1f tokens/s; products, keys and values are %.1f %% of a "
           "step: at least 90 %s\n",
           WRITERS, b, 100 * a, reached(a >= 0.9));
    if (!serve_goals_measure(g, gap_round, &a, &b, fault)) return false;
    printf("gaps     19 of 20 are below %.2f ms while a prompt of %zu tokens comes in, %.2f "
           "steps: at most 2 %s\n",
           1e3 * a, g->prompt, b, reached(b <= 2));
    if (!serve_goals_measure(g, warm_round, &a, &b, fault)) return false;
    printf("warm     the first token of a prompt of %zu that was read before takes %.2f ms, "
           "%.1f %% of the first time: at most 5 %s\n",
           g->prompt, 1e3 * a, 100 * b, reached(b <= 0.05));
    return true;
}

bool serve_goals(const BenchJob *job, const Model *model, Fault *fault) {
    const size_t ctx = model->sizes.ctx;
    Goals *g = calloc(1, sizeof *g);
    if (!g) return fault_set(fault, "no memory to measure with");
    g->job = clock_of = job, g->model = model;
    g->prompt = ctx > PROMPT + 2 ? PROMPT : ctx - 2;
    const SessionConfig config = {.ctx = min_size(ctx, PROMPT + BEFORE + WRITTEN + 64),
                                  .sequences = WRITERS + 1,
                                  .max_tokens = PREFILL_BATCH,
                                  .max_logits = WRITERS + 1,
                                  .prefixes = PROMPT / KV_PAGE + 8,
                                  .kv = job->compute.kv_format};
    const SchedulePolicy policy = {.budget = PREFILL_BATCH,
                                   .chunk = PREFILL_BATCH / 4,
                                   .stretch = SCHEDULE_STRETCH,
                                   .running = WRITERS + 1,
                                   .waiting = WRITERS + 1};
    bool ok = (ctx > BEFORE + WRITTEN + 2 ||
               fault_set(fault, "a context of %zu tokens is too short for --goals", ctx)) &&
              session_open(&g->session, model, job->compute.pool, config, fault) &&
              service_open(&g->service, &g->session, policy, fault);
    g->service.clock = serve_goals_now;
    ok = ok && run_goals(g, fault);
    if (g->service.requests) service_close(&g->service);
    for (size_t i = 0; i <= WRITERS; i++)
        token_list_free(&g->asker[i].tokens), chain_close(&g->asker[i].chain);
    if (g->session.model) session_close(&g->session);
    free(g);
    return ok;
}
