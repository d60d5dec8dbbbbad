/* simulate.c - strata simulate: how long N users wait, by policy and number of machines.
 * Options and traffic; the table is in simulate_rows.c. */
#include "commands.h"
#include "input.h"
#include "simulate_rows.h"

#include <stdlib.h>
#include <string.h>

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
                            .price = 0.1,
                            .together = {.bits = 4.5}};

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
    bool ok = text && (traffic_read(t, (Text){text, size}, fault) || fault_prefix(fault, path));
    free(text);
    return ok;
}

/* For each number of machines: on their own, or in each way together. */
static bool simulate_machines(SimulateJob *job, const char *users, const Traffic *t,
                              Fault *fault) {
    const GroupAsked *g = &job->together;
    for (size_t k = 0; k < g->machines.count; k++) {
        job->machines = strtol(g->machines.items[k], NULL, 10);
        if (g->splits.count == 0 && !simulate_rows(job, users, t, fault)) return false;
        for (size_t i = 0; i < g->splits.count; i++) {
            job->split = g->splits.items[i];
            if (!together_make(&job->model, g, (int)job->machines,
                               strcmp(job->split, "layers") == 0, &job->group, fault) ||
                !simulate_rows(job, users, t, fault))
                return false;
        }
    }
    return g->machines.count || simulate_rows(job, users, t, fault);
}

static bool simulate_users(SimulateJob *job, const char *users, Fault *fault) {
    Traffic t = {0};
    bool ok =
        job->trace ? read_traffic(job->trace, &t, fault) : made_traffic(job, users, &t, fault);
    ok = ok && (!job->save || save_trace(job, &t, fault)) &&
         (job->save || simulate_machines(job, users, &t, fault));
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
        if (simulate_policy(job->policies.items[i]) == SIMULATE_POLICIES)
            return fault_set(fault, "--policy %.40s: wanted static, continuous or chunked",
                             job->policies.items[i]);
    if (strcmp(job->arrivals, "poisson") != 0 && strcmp(job->arrivals, "bursts") != 0)
        return fault_set(fault, "--arrivals %.40s: wanted poisson or bursts", job->arrivals);
    if (strcmp(job->order, "fcfs") != 0 && strcmp(job->order, "priority") != 0 &&
        strcmp(job->order, "turns") != 0)
        return fault_set(fault, "--order %.40s: wanted fcfs, priority or turns", job->order);
    if (job->burst && strcmp(job->arrivals, "bursts") != 0)
        return fault_set(fault, "--burst needs --arrivals bursts");
    if (job->urgent > 0 && !job->save && strcmp(job->order, "priority") != 0)
        return fault_set(fault, "--urgent needs --order priority");
    if (job->ageing > 0 && strcmp(job->order, "fcfs") == 0)
        return fault_set(fault, "--ageing needs --order priority or turns");
    if (job->stretch > 0 && job->policies.count && !asks_for(job, "chunked"))
        return fault_set(fault, "--stretch needs --policy chunked");
    if (job->save && job->users.count > 1)
        return fault_set(fault, "--save-trace writes one table: give --users once");
    return true;
}

/* What a step costs on one machine. */
static bool read_costs(SimulateJob *job, Fault *fault) {
    size_t size;
    if (!job->costs) return together_machine(&job->model, &job->together, &job->cost, fault);
    char *text = read_named(job->costs, &size, fault);
    bool ok = text && (step_cost_read(&job->cost, (Text){text, size}, fault) ||
                       fault_prefix(fault, job->costs));
    free(text);
    return ok;
}

static bool simulate_all(SimulateJob *job, Fault *fault) {
    if (job->together.decode.count)
        return together_decode(&job->model, &job->together, &job->cost,
                               option_given("-p") ? (double)job->prompt : 0, job->table.stream,
                               fault);
    if (job->trace) return simulate_users(job, "trace", fault);
    for (size_t i = 0; i < job->users.count; i++)
        if (!simulate_users(job, job->users.items[i], fault)) return false;
    return true;
}

static bool simulate_run(Fault *fault) {
    SimulateJob *job = &asked;
    if (!job->users.count) job->users = (OptionList){{"100"}, 1};
    if (job->first_goal == 0) job->machines = 1;
    bool ok = together_open(&job->model, &job->together, fault) &&
              (job->save || read_costs(job, fault)) &&
              (!job->csv || table_begin(&job->table, job->csv, fault)) &&
              simulate_all(job, fault) && (!job->csv || file_end(&job->table, fault));
    file_drop(&job->table);
    together_close(&job->model);
    return ok;
}

static const OptionRule simulate_rules[] = {
    {"--trace", NOT_WITH,
     "--users --every --seconds --arrivals --burst --urgent --heavy --heavy-prompt -p -n "
     "--seed",
     "the trace already contains the requests"},
    {"--save-trace", NOT_WITH,
     "--trace --csv --costs --policy --order --ageing --shared --alone --places --waiting "
     "--pages --machines --first --gap --price --split --decode -m --shape --bandwidth",
     "it simulates nothing"},
    {"--first", NEEDS, "--gap", "the search is for the fewest machines that reach both goals"},
    {"--gap", NEEDS, "--first", "the search is for the fewest machines that reach both goals"},
    {"--first", NOT_WITH, "--machines", "the number of machines is the result"},
    {"--pace", NEEDS, "--stretch", "without a limit steps take as long as they need"},
    {"--split --decode", NEEDS, "--machines", "how many compute together?"},
    {"--split --decode", NEEDS, "--network", "how fast, as 1Gb/s:100us?"},
    {"--split --decode", NEEDS, "-m --shape", "what is sent depends on the model"},
    {"--network --shares --wire", NEEDS, "--split --decode",
     "machines of their own send each other nothing"},
    {"-m --shape", NEEDS, "--split --decode --bandwidth",
     "costs alone say how long steps take"},
    {"-m", NOT_WITH, "--shape", "one model is simulated"},
    {"--bits", NEEDS, "--shape", "a file says what its weights have"},
    {"--bits", NOT_WITH, "--costs", "what was measured knows how long weights take"},
    {"--bandwidth", NEEDS, "-m --shape", "how many weights are read?"},
    {"--bandwidth", NEEDS, "--flops", "a batch's arithmetic takes time, too"},
    {"--flops", NEEDS, "--bandwidth", "reading the weights takes time, too"},
    {"--bandwidth", NOT_WITH, "--costs", "both say how long steps take"},
    {"--decode", NOT_WITH,
     "--users --every --seconds --arrivals --burst --urgent --heavy --heavy-prompt -n --seed "
     "--trace --policy --stretch --pace --order --ageing --shared --alone --places --waiting "
     "--pages --first --gap --price",
     "it has no traffic"},
    {"--burst", NEEDS, "--arrivals", "--arrivals bursts"},
    {"--alone", NEEDS, "--shared", "it is about the shared prefix"},
    {"--heavy-prompt", NEEDS, "--heavy", "it is about that user"},
    {0},
};

static const Option simulate_options[] = {
    {"--costs", OPT_TEXT, &asked.costs, "FILE",
     "cost of a step, written by strata bench serve --costs FILE"},
    {"--users", OPT_LIST, &asked.users, "N", "users (100; repeatable, a row for each)"},
    {"--every", OPT_REAL(1e-3, 1e6), &asked.every, "S",
     "seconds between a user's requests (60)"},
    {"--seconds", OPT_REAL(1e-3, 1e6), &asked.seconds, "S",
     "duration of the traffic: users * S / every requests on average (600)"},
    {"--arrivals", OPT_TEXT, &asked.arrivals, "HOW", "poisson or bursts (poisson)"},
    {"--burst", OPT_INT(1, 100000), &asked.burst, "N", "requests per burst (10)"},
    {"--urgent", OPT_REAL(0, 1), &asked.urgent, "X", "share of requests with priority 1 (0)"},
    {"--heavy", OPT_REAL(0, 1e6), &asked.heavy, "X",
     "add one user that sends X requests a second, reported in a row of its own (0)"},
    {"--heavy-prompt", OPT_INT(1, 1000000), &asked.heavy_prompt, "N",
     "average prompt tokens of that user (as -p)"},
    {"-p", OPT_INT(1, 1000000), &asked.prompt, "N",
     "average prompt tokens (256); of --decode: positions behind each text (0)"},
    {"-n", OPT_INT(1, 1000000), &asked.answer, "N", "average answer tokens (128)"},
    {"--seed", OPT_INT(0, OPTION_MANY), &asked.seed, "N", "random seed of the traffic (1)"},
    {"--trace", OPT_TEXT, &asked.trace, "FILE",
     "read the traffic from a table arrival,prompt,answer[,priority[,user]]"},
    {"--save-trace", OPT_OUTPUT, &asked.save, "FILE",
     "write such a table and simulate nothing"},
    {"--policy", OPT_LIST, &asked.policies, "NAME",
     "static, continuous or chunked (all three; repeatable)"},
    {"--stretch", OPT_REAL(1, 1000), &asked.stretch, "X",
     "chunked: prefill makes a decode step at most about X times as long (no limit)"},
    {"--pace", OPT_REAL(0, 1e6), &asked.pace, "MS",
     "but a step may always take this long (0; strata serve: 50, and --stretch 1.25)"},
    {"--order", OPT_TEXT, &asked.order, "NAME",
     "queue order: fcfs, priority, or turns: round robin over users (fcfs)"},
    {"--ageing", OPT_REAL(0, 1e6), &asked.ageing, "S",
     "seconds of waiting that raise the priority by one (0: never)"},
    {"--shared", OPT_INT(0, 1000000), &asked.shared, "N",
     "additional shared prefix of all prompts, in tokens (0)"},
    {"--alone", OPT_FLAG, &asked.alone, NULL, "do not share the prefix"},
    {"--places", OPT_INT(1, 10000), &asked.places, "N", "KV slots per machine (16)"},
    {"--waiting", OPT_INT(1, 1000000), &asked.waiting, "N",
     "maximum queue length per machine (1000)"},
    {"--pages", OPT_INT(1, OPTION_MANY), &asked.pages, "N",
     "KV pages of 64 tokens per machine, or of the machines together (4096)"},
    GROUP_OPTIONS(asked.together),
    {"--first", OPT_REAL(0.001, 1e9), &asked.first_goal, "MS",
     "goal for the time to first token, 95th percentile; finds the fewest machines"},
    {"--gap", OPT_REAL(0.001, 1e9), &asked.gap_goal, "MS",
     "goal for the time between tokens, 95th percentile"},
    {"--price", OPT_REAL(0, 1e6), &asked.price, "X", "dollars per machine hour (0.10)"},
    {"--csv", OPT_OUTPUT, &asked.csv, "FILE", "also write the table as CSV"},
    {0},
};

static bool simulate_check(Fault *fault) {
    const SimulateJob *job = &asked;
    return (job->costs || job->save || job->together.bandwidth > 0 ||
            fault_set(fault, "wanted --costs FILE: strata bench serve --costs FILE writes one; "
                             "or --bandwidth X --flops X of a --shape")) &&
           check_policies(job, fault) && together_check(&job->together, fault);
}

const Command command_simulate = {
    .name = "simulate",
    .usage = "simulate --costs FILE [options]",
    .about = "Simulate a service without a model: the real scheduler plans every step, and "
             "measured costs give its duration.\nHow long do users wait, under which policy, "
             "on how many machines?",
    .examples = {"strata bench serve --costs costs.csv",
                 "strata simulate --costs costs.csv --users 200",
                 "strata simulate --shape 70B --bandwidth 40 --flops 200 --network 10Gb/s:30us "
                 "--decode 1 --machines 2 --machines 8"},
    .options = simulate_options,
    .brief = "--costs --users --every --seconds --policy --places --machines --csv",
    .rules = simulate_rules,
    .check = simulate_check,
    .run = simulate_run};
