/* simulate_rows.c - see simulate_rows.h. */
#include "simulate_rows.h"

#include "schedule.h"
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ policies */

static const struct {
    const char *name;
    bool rigid, prompts_first;
    size_t chunk;
} policies[SIMULATE_POLICIES] = {{"static", true, false, 0},
                                 {"continuous", false, true, 0},
                                 {"chunked", false, false, PREFILL_BATCH / 4}};

size_t simulate_policy(const char *name) {
    size_t i = 0;
    while (i < SIMULATE_POLICIES && strcmp(name, policies[i].name) != 0) i++;
    return i;
}

static SimulatedMachine machine_of(const SimulateJob *job, size_t policy,
                                   const StepCost *learned) {
    return (SimulatedMachine){.policy = {.budget = PREFILL_BATCH,
                                         .chunk = policies[policy].chunk,
                                         .running = (size_t)job->places,
                                         .waiting = (size_t)job->waiting,
                                         .ageing = job->ageing,
                                         .static_batch = policies[policy].rigid,
                                         .prompts_first = policies[policy].prompts_first,
                                         .stretch = job->stretch,
                                         .pace = job->pace / 1000,
                                         .cost = learned},
                              .cost = job->cost,
                              .group = job->split ? &job->group : NULL,
                              .page_tokens = KV_PAGE,
                              .pages = (size_t)job->pages,
                              .shared = (size_t)job->shared,
                              .shares = !job->alone,
                              .by_priority = strcmp(job->order, "priority") == 0,
                              .by_turns = strcmp(job->order, "turns") == 0};
}

/* ------------------------------------------------------------------ one row */

typedef struct WaitsRow {
    size_t machines;
    double load, rate, first50, first95, gap50, gap95, gap_max, busy;
} WaitsRow;

/* Whose waits a row shows: the ordinary users', or the heavy user's. */
enum { OTHERS, HEAVY };

static WaitsRow waits_row(const SimulateJob *job, const Traffic *t, size_t machines,
                          const Simulation *s, int whose) {
    const Waits *w = &s->waits[whose];
    double last = t->visits[t->count - 1].arrival;
    const size_t servers = job->split ? 1 : machines;
    return (WaitsRow){machines,
                      last > 0 ? (double)t->count / last : 0,
                      s->end > 0 ? (double)s->tokens / s->end : 0,
                      1000 * percentile(w->firsts, w->firsts_count, .5),
                      1000 * percentile(w->firsts, w->firsts_count, .95),
                      1000 * percentile(w->gaps, w->gaps_count, .5),
                      1000 * percentile(w->gaps, w->gaps_count, .95),
                      1000 * percentile(w->gaps, w->gaps_count, 1),
                      s->end > 0 ? s->busy / s->end / (double)servers : 0};
}

static bool run_machines(const SimulateJob *job, size_t policy, const Traffic *t,
                         size_t machines, Simulation *s, WaitsRow *row, Fault *fault) {
    const StepCost learned = job->split ? step_group_cost(&job->group, &job->cost) : job->cost;
    SimulatedMachine machine = machine_of(job, policy, &learned);
    const size_t servers = job->split ? 1 : machines;
    *s = (Simulation){0};
    for (size_t i = 0; i < servers && i < t->count; i++)
        if (!simulate(&machine, t, i, servers, s, fault)) return false;
    *row = waits_row(job, t, machines, s, s->waits[OTHERS].firsts_count ? OTHERS : HEAVY);
    if (s->refused < t->count) return true;
    return fault_set(fault,
                     "%s: all %zu requests are refused: none fits into %ld pages; give more "
                     "--pages, or a smaller -p or -n",
                     policies[policy].name, t->count, job->pages);
}

static bool is_good(const SimulateJob *job, const Simulation *s, const WaitsRow *r) {
    return s->refused == 0 && r->first95 <= job->first_goal && r->gap95 <= job->gap_goal;
}

/* The smallest number of machines that meets both goals: doubling, then bisection.
 *
 * Fails if no number does, because even a single user waits longer. */
static bool enough_machines(const SimulateJob *job, size_t policy, const Traffic *t,
                            Simulation *s, WaitsRow *row, Fault *fault) {
    size_t low = 0, high = 1;
    for (;; low = high, high *= 2) {
        if (!run_machines(job, policy, t, high, s, row, fault)) return false;
        if (is_good(job, s, row)) break;
        if (high > t->count)
            return fault_set(
                fault,
                "%s: even with a machine each, the 95th percentile is %.0f ms to the first "
                "token and %.1f ms between tokens: give a larger --first or --gap",
                policies[policy].name, row->first95, row->gap95);
        simulation_free(s);
    }
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        simulation_free(s);
        if (!run_machines(job, policy, t, middle, s, row, fault)) return false;
        if (is_good(job, s, row))
            high = middle;
        else
            low = middle;
    }
    simulation_free(s);
    return run_machines(job, policy, t, high, s, row, fault);
}

/* Printed with the first row: an earlier failure prints no table. */
static void print_simulate_titles(SimulateJob *job) {
    if (job->titled) return;
    job->titled = true;
    printf("%7s %-10s %8s %8s %9s %9s %9s %8s %8s %8s %5s %7s %8s %9s%s\n", "users", "policy",
           "machines", "load /s", "tokens/s", "first p50", "p95 ms", "gap p50", "p95", "max ms",
           "busy", "refused", "preempt", "$/Mtok", job->split ? " split" : "");
    if (job->table.stream)
        fprintf(
            job->table.stream,
            "users,policy,machines,load,tokens_per_second,first_p50_ms,first_p95_ms,gap_p50_ms,"
            "gap_p95_ms,gap_max_ms,busy,refused,preempted,most_pages,dollars_per_million,"
            "split\n");
}

/* Cost of all machines per hour, divided by the tokens of an hour. */
static double price_of(const SimulateJob *job, const WaitsRow *r) {
    return r->rate > 0 ? job->price * (double)r->machines / (3600 * r->rate) * 1e6 : 0;
}

static void print_simulated(const SimulateJob *job, const char *users, size_t policy,
                            const Simulation *s, const WaitsRow *r) {
    double price = price_of(job, r);
    printf("%7s %-10s %8zu %8.2f %9.1f %9.0f %9.0f %8.1f %8.1f %8.0f %4.0f%% %7zu %8zu "
           "%9.2f%s%s\n",
           users, policies[policy].name, r->machines, r->load, r->rate, r->first50, r->first95,
           r->gap50, r->gap95, r->gap_max, 100 * r->busy, s->refused, s->preempted, price,
           job->split ? " " : "", job->split ? job->split : "");
    fflush(stdout);
    if (job->table.stream)
        fprintf(job->table.stream,
                "%s,%s,%zu,%.4f,%.2f,%.3f,%.3f,%.4f,%.4f,%.4f,%.4f,%zu,%zu,%zu,%.4f,%s\n",
                users, policies[policy].name, r->machines, r->load, r->rate, r->first50,
                r->first95, r->gap50, r->gap95, r->gap_max, r->busy, s->refused, s->preempted,
                s->most_pages, price, job->split ? job->split : "none");
}

static bool one_row(SimulateJob *job, const char *users, size_t policy, const Traffic *t,
                    Fault *fault) {
    Simulation s = {0};
    WaitsRow row;
    bool ok = job->machines
                  ? run_machines(job, policy, t, (size_t)job->machines, &s, &row, fault)
                  : enough_machines(job, policy, t, &s, &row, fault);
    if (ok) print_simulate_titles(job), print_simulated(job, users, policy, &s, &row);
    if (ok && s.waits[OTHERS].firsts_count && s.waits[HEAVY].firsts_count) {
        row = waits_row(job, t, row.machines, &s, HEAVY);
        print_simulated(job, "heavy", policy, &s, &row);
    }
    simulation_free(&s);
    return ok;
}

bool simulate_rows(SimulateJob *job, const char *users, const Traffic *t, Fault *fault) {
    if (job->policies.count == 0)
        for (size_t p = 0; p < SIMULATE_POLICIES; p++)
            if (!one_row(job, users, p, t, fault)) return false;
    for (size_t i = 0; i < job->policies.count; i++)
        if (!one_row(job, users, simulate_policy(job->policies.items[i]), t, fault))
            return false;
    return true;
}
