/* simulate.c - strata simulate: how long N users wait, under which policy, on how many machines. */
#include "commands.h"
#include "input.h"
#include "options.h"
#include "simulate.h"
#include "step_cost.h"
#include "traffic.h"

#include <stdlib.h>
#include <string.h>

typedef struct SimulateJob {
    const char *costs, *trace, *save, *csv, *arrivals, *order;
    OptionList users, policies;
    double every, seconds, urgent, heavy, ageing, stretch, first_goal, gap_goal, price;
    long prompt, heavy_prompt, answer, shared, places, waiting, pages, machines, burst, seed;
    bool alone, titled; /* the table has begun */
    StepCost cost;
    FileOut table;
} SimulateJob;

static SimulateJob asked = {.arrivals = "poisson",
                            .order = "fcfs",
                            .every = 60,
                            .seconds = 600,
                            .prompt = 256,
                            .answer = 128,
                            .places = 16,
                            .waiting = 1000,
                            .pages = 4096,
                            .seed = 1,
                            .price = 0.1};

enum { PAGE = KV_PAGE, MOST_MACHINES = 1 << 20 };

/* ------------------------------------------------------------------ policies */

static const struct {
    const char *name;
    bool rigid, prompts_first;
    size_t chunk;
} policies[] = {{"static", true, false, 0},
                {"continuous", false, true, 0},
                {"chunked", false, false, PREFILL_BATCH / 4}};

enum { POLICIES = sizeof policies / sizeof *policies };

static size_t find_policy(const char *name) {
    size_t i = 0;
    while (i < POLICIES && strcmp(name, policies[i].name) != 0) i++;
    return i;
}

static SimulatedMachine machine_of(const SimulateJob *job, size_t policy) {
    return (SimulatedMachine){.policy = {.budget = PREFILL_BATCH,
                                         .chunk = policies[policy].chunk,
                                         .running = (size_t)job->places,
                                         .waiting = (size_t)job->waiting,
                                         .ageing = job->ageing,
                                         .static_batch = policies[policy].rigid,
                                         .prompts_first = policies[policy].prompts_first,
                                         .stretch = job->stretch,
                                         .cost = &job->cost},
                              .cost = job->cost,
                              .page_tokens = PAGE,
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

/* Whose waits a row is of: those of everybody, and of the one who sends many. */
enum { OTHERS, HEAVY };

static int by_wait(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double simulate_percentile(const double *sorted, size_t n, double share) {
    return n ? 1000 * sorted[(size_t)(share * (double)(n - 1) + 0.5)] : 0;
}

static void sort_waits(Waits *w) {
    qsort(w->firsts, w->firsts_count, sizeof *w->firsts, by_wait);
    qsort(w->gaps, w->gaps_count, sizeof *w->gaps, by_wait);
}

static WaitsRow waits_row(const Traffic *t, size_t machines, const Simulation *s, int whose) {
    const Waits *w = &s->waits[whose];
    double last = t->visits[t->count - 1].arrival;
    return (WaitsRow){machines,
                      last > 0 ? (double)t->count / last : 0,
                      s->end > 0 ? (double)s->tokens / s->end : 0,
                      simulate_percentile(w->firsts, w->firsts_count, .5),
                      simulate_percentile(w->firsts, w->firsts_count, .95),
                      simulate_percentile(w->gaps, w->gaps_count, .5),
                      simulate_percentile(w->gaps, w->gaps_count, .95),
                      simulate_percentile(w->gaps, w->gaps_count, 1),
                      s->end > 0 ? s->busy / s->end / (double)machines : 0};
}

static bool run_machines(const SimulateJob *job, size_t policy, const Traffic *t,
                         size_t machines, Simulation *s, WaitsRow *row, Fault *fault) {
    SimulatedMachine machine = machine_of(job, policy);
    *s = (Simulation){0};
    for (size_t i = 0; i < machines && i < t->count; i++)
        if (!simulate(&machine, t, i, machines, s, fault)) return false;
    for (int whose = OTHERS; whose <= HEAVY; whose++) sort_waits(&s->waits[whose]);
    *row = waits_row(t, machines, s, s->waits[OTHERS].firsts_count ? OTHERS : HEAVY);
    if (s->refused < t->count) return true;
    return fault_set(fault,
                     "%s: all %zu requests are refused: none fits into a machine's memory of "
                     "%ld pages; give more --pages, or a smaller -p or -n",
                     policies[policy].name, t->count, job->pages);
}

static bool is_good(const SimulateJob *job, const Simulation *s, const WaitsRow *r) {
    return s->refused == 0 && r->first95 <= job->first_goal && r->gap95 <= job->gap_goal;
}

/* The fewest machines that reach both goals: twice as many until they do, then halves between.
 *
 * Fails when no number does, because one user alone waits longer. */
static bool enough_machines(const SimulateJob *job, size_t policy, const Traffic *t,
                            Simulation *s, WaitsRow *row, Fault *fault) {
    size_t low = 0, high = 1;
    for (;; low = high, high *= 2) {
        if (!run_machines(job, policy, t, high, s, row, fault)) return false;
        if (is_good(job, s, row)) break;
        if (high > t->count)
            return fault_set(
                fault,
                "%s: 95 of 100 wait %.0f ms for the first token and %.1f ms for the next even "
                "with a machine each: give a larger --first or --gap",
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

/* Before the first row: what fails before it fails without a table. */
static void print_simulate_titles(SimulateJob *job) {
    if (job->titled) return;
    job->titled = true;
    printf("%7s %-10s %8s %8s %9s %9s %9s %8s %8s %8s %5s %7s %8s %9s\n", "users", "policy",
           "machines", "load /s", "tokens/s", "first p50", "p95 ms", "gap p50", "p95", "max ms",
           "busy", "refused", "preempt", "$/Mtok");
    if (job->table.stream)
        fprintf(
            job->table.stream,
            "users,policy,machines,load,tokens_per_second,first_p50_ms,first_p95_ms,gap_p50_ms,"
            "gap_p95_ms,gap_max_ms,busy,refused,preempted,most_pages,dollars_per_million\n");
}

/* An hour of all machines, shared by the tokens of an hour. */
static double price_of(const SimulateJob *job, const WaitsRow *r) {
    return r->rate > 0 ? job->price * (double)r->machines / (3600 * r->rate) * 1e6 : 0;
}

static void print_simulated(const SimulateJob *job, const char *users, size_t policy,
                            const Simulation *s, const WaitsRow *r) {
    double price = price_of(job, r);
    printf("%7s %-10s %8zu %8.2f %9.1f %9.0f %9.0f %8.1f %8.1f %8.0f %4.0f%% %7zu %8zu %9.2f\n",
           users, policies[policy].name, r->machines, r->load, r->rate, r->first50, r->first95,
           r->gap50, r->gap95, r->gap_max, 100 * r->busy, s->refused, s->preempted, price);
    fflush(stdout);
    if (job->table.stream)
        fprintf(job->table.stream,
                "%s,%s,%zu,%.4f,%.2f,%.3f,%.3f,%.4f,%.4f,%.4f,%.4f,%zu,%zu,%zu,%.4f\n", users,
                policies[policy].name, r->machines, r->load, r->rate, r->first50, r->first95,
                r->gap50, r->gap95, r->gap_max, r->busy, s->refused, s->preempted,
                s->most_pages, price);
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
        row = waits_row(t, row.machines, &s, HEAVY);
        print_simulated(job, "heavy", policy, &s, &row);
    }
    simulation_free(&s);
    return ok;
}

static bool all_policies(SimulateJob *job, const char *users, const Traffic *t, Fault *fault) {
    if (job->policies.count == 0)
        for (size_t p = 0; p < POLICIES; p++)
            if (!one_row(job, users, p, t, fault)) return false;
    for (size_t i = 0; i < job->policies.count; i++)
        if (!one_row(job, users, find_policy(job->policies.items[i]), t, fault)) return false;
    return true;
}

/* ------------------------------------------------------------------ traffic */

static bool save_trace(const SimulateJob *job, const Traffic *t, Fault *fault) {
    FileOut out = {0};
    bool ok = table_begin(&out, job->save, fault);
    if (ok) traffic_write(t, out.stream);
    ok = ok && file_end(&out, fault);
    file_drop(&out);
    return ok;
}

static bool made_traffic(const SimulateJob *job, const char *users, Traffic *t, Fault *fault) {
    char *end;
    double n = strtod(users, &end), rate = n / job->every + job->heavy;
    const bool bursts = strcmp(job->arrivals, "bursts") == 0;
    const size_t burst = job->burst ? (size_t)job->burst : 10;
    if (*end || !(n >= 1 && n <= 1e6))
        return fault_set(fault, "--users %.20s: wanted 1 to 1000000", users);
    double count = rate * job->seconds;
    if (count > 1e7)
        return fault_set(fault, "%.0f requests are too many: give fewer --seconds", count);
    if (bursts && count < (double)burst)
        return fault_set(
            fault, "--burst %zu: %.0f requests come in %g seconds: wanted no more than these",
            burst, count, job->seconds);
    return traffic_make(
        t,
        &(TrafficShape){.count = count < 1 ? 1 : (size_t)count,
                        .rate = rate,
                        .burst = bursts ? burst : 1,
                        .prompt = (size_t)job->prompt,
                        .answer = (size_t)job->answer,
                        .urgent = job->urgent,
                        .heavy = job->heavy,
                        .heavy_prompt =
                            (size_t)(job->heavy_prompt ? job->heavy_prompt : job->prompt),
                        .seed = (uint64_t)job->seed},
        fault);
}

static bool read_traffic(const char *path, Traffic *t, Fault *fault) {
    size_t size;
    char *text = read_named(path, &size, fault);
    bool ok = text && traffic_read(t, (Text){text, size}, fault);
    free(text);
    return ok;
}

static bool simulate_users(SimulateJob *job, const char *users, Fault *fault) {
    Traffic t = {0};
    bool ok =
        job->trace ? read_traffic(job->trace, &t, fault) : made_traffic(job, users, &t, fault);
    ok = ok && (!job->save || save_trace(job, &t, fault)) &&
         (job->save || all_policies(job, users, &t, fault));
    traffic_free(&t);
    return ok;
}

static bool asks_for(const SimulateJob *job, const char *policy) {
    for (size_t i = 0; i < job->policies.count; i++)
        if (strcmp(job->policies.items[i], policy) == 0) return true;
    return false;
}

static bool check_policies(const SimulateJob *job, Fault *fault) {
    for (size_t i = 0; i < job->policies.count; i++)
        if (find_policy(job->policies.items[i]) == POLICIES)
            return fault_set(fault, "--policy %.40s: wanted static, continuous or chunked",
                             job->policies.items[i]);
    if (strcmp(job->arrivals, "poisson") != 0 && strcmp(job->arrivals, "bursts") != 0)
        return fault_set(fault, "--arrivals %.40s: wanted poisson or bursts", job->arrivals);
    if (strcmp(job->order, "fcfs") != 0 && strcmp(job->order, "priority") != 0 &&
        strcmp(job->order, "turns") != 0)
        return fault_set(fault, "--order %.40s: wanted fcfs, priority or turns", job->order);
    if (job->burst && strcmp(job->arrivals, "bursts") != 0)
        return fault_set(fault, "--burst needs --arrivals bursts: others come one by one");
    if (job->urgent > 0 && !job->save && strcmp(job->order, "priority") != 0)
        return fault_set(fault, "--urgent needs --order priority: else nobody is served first");
    if (job->ageing > 0 && strcmp(job->order, "fcfs") == 0)
        return fault_set(fault,
                         "--ageing needs --order priority or turns: who came first is first");
    if (job->stretch > 0 && job->policies.count && !asks_for(job, "chunked"))
        return fault_set(fault, "--stretch needs --policy chunked: others read a prompt whole");
    if (job->save && job->users.count > 1)
        return fault_set(fault, "--save-trace writes one table: give --users once");
    return true;
}

static bool simulate_run(Fault *fault) {
    SimulateJob *job = &asked;
    size_t size;
    char *text = NULL;
    if (!job->users.count) job->users = (OptionList){{"100"}, 1};
    if (job->first_goal == 0 && job->machines == 0) job->machines = 1;
    if (!check_policies(job, fault)) return false;
    bool ok = job->save || (text = read_named(job->costs, &size, fault));
    ok = ok && (job->save || step_cost_read(&job->cost, (Text){text, size}, fault));
    free(text);
    ok = ok && (!job->csv || table_begin(&job->table, job->csv, fault));
    if (job->trace) ok = ok && simulate_users(job, "trace", fault);
    for (size_t i = 0; ok && !job->trace && i < job->users.count; i++)
        ok = simulate_users(job, job->users.items[i], fault);
    ok = ok && (!job->csv || file_end(&job->table, fault));
    file_drop(&job->table);
    return ok;
}

static const OptionRule simulate_rules[] = {
    {"--trace", NOT_WITH,
     "--users --every --seconds --arrivals --burst --urgent --heavy --heavy-prompt -p -n "
     "--seed",
     "the trace says who comes when"},
    {"--save-trace", NOT_WITH,
     "--trace --csv --costs --policy --order --ageing --shared --alone --places --waiting "
     "--pages --machines --first --gap --price",
     "it writes the traffic down and simulates nothing"},
    {"--first", NEEDS, "--gap", "the fewest machines are looked for that reach both"},
    {"--gap", NEEDS, "--first", "the fewest machines are looked for that reach both"},
    {"--first", NOT_WITH, "--machines", "their number is what is looked for"},
    {"--burst", NEEDS, "--arrivals", "--arrivals bursts"},
    {"--alone", NEEDS, "--shared", "it says who reads and keeps these tokens"},
    {"--heavy-prompt", NEEDS, "--heavy", "they are his"},
    {0},
};

static const Option simulate_options[] = {
    {"--costs", OPT_TEXT, &asked.costs, "FILE",
     "what a step takes: written by strata bench serve --costs FILE"},
    {"--users", OPT_LIST, &asked.users, "N",
     "users (100; may be given several times: a row for each)"},
    {"--every", OPT_REAL(1e-3, 1e6), &asked.every, "S",
     "seconds between two requests of a user (60)"},
    {"--seconds", OPT_REAL(1e-3, 1e6), &asked.seconds, "S",
     "of traffic, on average: users * S / every requests come (600)"},
    {"--arrivals", OPT_TEXT, &asked.arrivals, "HOW", "poisson (the default) or bursts"},
    {"--burst", OPT_INT(1, 100000), &asked.burst, "N", "requests that come together (10)"},
    {"--urgent", OPT_REAL(0, 1), &asked.urgent, "X", "share of requests of priority 1 (0)"},
    {"--heavy", OPT_REAL(0, 1e6), &asked.heavy, "X",
     "one user more, who sends X requests a second: a row for the others, and one for him (0)"},
    {"--heavy-prompt", OPT_INT(1, 1000000), &asked.heavy_prompt, "N",
     "tokens of his prompts, about (as -p)"},
    {"-p", OPT_INT(1, 1000000), &asked.prompt, "N", "tokens of a prompt, about (256)"},
    {"-n", OPT_INT(1, 1000000), &asked.answer, "N", "tokens of an answer, about (128)"},
    {"--seed", OPT_INT(0, OPTION_MANY), &asked.seed, "N", "of the traffic (1)"},
    {"--trace", OPT_TEXT, &asked.trace, "FILE",
     "the traffic: a table arrival,prompt,answer[,priority[,user]]"},
    {"--save-trace", OPT_OUTPUT, &asked.save, "FILE",
     "write such a table instead of simulating"},
    {"--policy", OPT_LIST, &asked.policies, "NAME",
     "static, continuous or chunked (all three; may be given several times)"},
    {"--stretch", OPT_REAL(1, 1000), &asked.stretch, "X",
     "in chunks, prompts make a step of those who are answered at most about so many times as "
     "long (no limit)"},
    {"--order", OPT_TEXT, &asked.order, "NAME",
     "who is served first: fcfs, priority, or turns: the first request of each user, then the "
     "second (fcfs)"},
    {"--ageing", OPT_REAL(0, 1e6), &asked.ageing, "S",
     "seconds of waiting that are worth a level of priority (0: none)"},
    {"--shared", OPT_INT(0, 1000000), &asked.shared, "N",
     "tokens more that all prompts begin with (0)"},
    {"--alone", OPT_FLAG, &asked.alone, NULL, "everybody reads and keeps these for himself"},
    {"--places", OPT_INT(1, 10000), &asked.places, "N", "requests that run at once (16)"},
    {"--waiting", OPT_INT(1, 1000000), &asked.waiting, "N",
     "requests in a machine's queue, at most (1000)"},
    {"--pages", OPT_INT(1, OPTION_MANY), &asked.pages, "N",
     "of 64 tokens, in a machine's memory (4096)"},
    {"--machines", OPT_INT(1, MOST_MACHINES), &asked.machines, "N",
     "each serves every N-th request (1)"},
    {"--first", OPT_REAL(0.001, 1e9), &asked.first_goal, "MS",
     "goal: 95 of 100 have their first token by then; the fewest machines are found"},
    {"--gap", OPT_REAL(0.001, 1e9), &asked.gap_goal, "MS",
     "goal: and 95 of 100 tokens their next"},
    {"--price", OPT_REAL(0, 1e6), &asked.price, "X", "dollars for an hour of a machine (0.10)"},
    {"--csv", OPT_OUTPUT, &asked.csv, "FILE", "the table as CSV, too"},
    {0},
};

static bool simulate_check(Fault *fault) {
    return asked.costs || asked.save ||
           fault_set(fault, "wanted --costs FILE: strata bench serve --costs FILE writes one");
}

const Command command_simulate = {
    .name = "simulate",
    .usage = "simulate --costs FILE [options]",
    .about = "A service without a model: the plan of every step is the real one, and what a "
             "step takes was measured.\nHow long do users wait, under which policy, on how "
             "many machines?",
    .options = simulate_options,
    .rules = simulate_rules,
    .check = simulate_check,
    .run = simulate_run};
