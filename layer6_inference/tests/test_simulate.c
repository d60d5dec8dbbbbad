/* a service without a model: the same steps as the real one, costs, traffic */
#include "house.h"
#include "schedule.h"
#include "simulate.h"
#include "step_cost.h"
#include "traffic.h"
#include "service.h"

static Text text_from(const char *s) { return (Text){s, strlen(s)}; }

#define COST                                                                                 \
    {                                                                                        \
        .tokens = {1, 2}, .batch = {0.032, 0.034}, .points = 2, .row = 0.0005, .past = 1e-5, \
        .seen = 1e-6, .after[1] = 0.003                                                      \
    }
static const StepCost cost = COST;

static void costs_are_found_again(void **state) {
    (void)state;
    enum { N = 200 };
    StepSize sizes[N];
    double seconds[N];
    Rng rng = {1, 0, 0};
    for (int i = 0; i < N; i++) {
        sizes[i] =
            (StepSize){1 + rng_below(&rng, 300), rng_below(&rng, 30), rng_below(&rng, 3000),
                       rng_below(&rng, 100000), i % 3 ? 0 : rng_below(&rng, 300)};
        seconds[i] = step_cost_seconds(&cost, sizes[i]);
    }
    StepCost got;
    Fault fault;
    assert_true(step_cost_fit(sizes, seconds, N, &got, &fault));
    for (int i = 0; i < N; i++)
        assert_near(step_cost_seconds(&got, sizes[i]), seconds[i], 1e-9);
    assert_near(got.row, cost.row, 1e-9);
    assert_near(got.past, cost.past, 1e-10);
    assert_near(got.seen, cost.seen, 1e-12);
    assert_near(step_cost_seconds(&got, (StepSize){.tokens = 100, .before = 50}),
                step_cost_seconds(&cost, (StepSize){.tokens = 100}) + 0.003, 1e-9);
    for (int i = 0; i < N; i++) seconds[i] = 0.01 + 1e-5 * (200 - sizes[i].rows);
    /* a row that costs less than nothing */
    assert_true(step_cost_fit(sizes, seconds, N, &got, &fault));
    assert_true(got.row == 0 && got.batch[0] > 0.01 && got.seen >= 0);
    for (size_t p = 0; p < got.points; p++) {
        assert_true(got.batch[p] >= 0 && got.after[p] >= 0);
        if (p) assert_true(got.tokens[p] > got.tokens[p - 1]);
    }
    for (int i = 0; i < N; i++) sizes[i].tokens = 3;
    assert_false(step_cost_fit(sizes, seconds, N, &got, &fault));
    assert_contains(fault.text, "about 3 tokens");
}

/* Weights for few, products for many: no straight line goes through both. */
static void a_curve_is_found_again(void **state) {
    (void)state;
    enum { N = 500 };
    const StepCost want = {.tokens = {1, 2, 4, 8, 16, 32, 64, 128},
                           .batch = {10, 10, 11, 13, 20, 40, 90, 190},
                           .points = 8,
                           .row = 0.5,
                           .past = 0.01,
                           .seen = 0.001};
    StepSize sizes[N];
    double seconds[N];
    Rng rng = {2, 0, 0};
    for (int i = 0; i < N; i++) {
        double tokens = 1 << rng_below(&rng, 8), rows = 1 + rng_below(&rng, (uint32_t)tokens);
        sizes[i] =
            (StepSize){tokens, rows, rng_below(&rng, 900), tokens * rng_below(&rng, 500), 0};
        seconds[i] = step_cost_seconds(&want, sizes[i]);
    }
    StepCost got;
    Fault fault;
    assert_true(step_cost_fit(sizes, seconds, N, &got, &fault));
    assert_int_equal(got.points, 8);
    for (int i = 0; i < 8; i++) {
        assert_near(got.tokens[i], want.tokens[i], 1e-9);
        assert_near(got.batch[i], want.batch[i], 1e-6);
    }
    assert_near(step_cost_seconds(&want, (StepSize){.tokens = 96}), 140, 1e-9);
    assert_near(step_cost_seconds(&want, (StepSize){.tokens = 192}), 290, 1e-9);
    assert_near(step_cost_seconds(&want, (StepSize){.tokens = 0.5}), 10, 1e-9);
}

/* Every tenth step takes 1.8 times as long: the costs are those of all together.  One in fifty
 * was interrupted by something that has nothing to do with it. */
static void disturbed_steps_count(void **state) {
    (void)state;
    enum { N = 2000 };
    static StepSize sizes[N];
    static double seconds[N];
    double took = 0, fitted = 0;
    Rng rng = {1, 0, 0};
    StepCost got;
    Fault fault;
    for (int i = 0; i < N; i++) {
        bool prompt = i % 7 == 0;
        double tokens = 1 + rng_below(&rng, prompt ? 300 : 8), rows = prompt ? 1 : tokens;
        sizes[i] = (StepSize){tokens, rows, 100 + rng_below(&rng, 100), tokens * 100, 0};
        seconds[i] = step_cost_seconds(&cost, sizes[i]) * (i % 10 == 0 ? 1.8 : 1);
        took += seconds[i];
        if (i % 50 == 1) seconds[i] *= 100;
    }
    assert_true(step_cost_fit(sizes, seconds, N, &got, &fault));
    for (int i = 0; i < N; i++) fitted += step_cost_seconds(&got, sizes[i]);
    assert_near(fitted, 1.02 * took, 0.02 * took);
}

/* What a service learns of its steps: nothing until it has seen both kinds, then what the last
 * ones took. */
static void steps_are_learned(void **state) {
    (void)state;
    StepLog log = {0};
    for (int turn = 1; turn < 3; turn++) { /* the machine becomes half as fast */
        StepCost want = cost, got;
        for (size_t i = 0; i < want.points; i++) want.batch[i] *= turn;
        for (int i = 0; i < 2 * STEP_LOG; i++) {
            StepSize answers = {1 + i % 5, 1 + i % 5, 100.0 * i, 100.0 * i, 0};
            step_log_add(&log, answers, step_cost_seconds(&want, answers));
        }
        if (turn == 1) assert_false(step_log_cost(&log, &got));
        step_log_add(&log, (StepSize){0}, 1);
        step_log_add(&log, (StepSize){7, 1, 9, 9, 0}, 0);
        for (int i = 0; i < 2 * STEP_LOG; i++) {
            StepSize both = {10 + i % 7, 1 + i % 5, 200.0 * i, 250.0 * i, 0};
            step_log_add(&log, both, step_cost_seconds(&want, both));
        }
        assert_true(step_log_cost(&log, &got));
        for (double n = 1; n < 16; n++)
            assert_near(step_cost_seconds(&got, (StepSize){n, 1, 50, 50, 0}),
                        step_cost_seconds(&want, (StepSize){n, 1, 50, 50, 0}), 1e-4);
    }
}

static void costs_are_text(void **state) {
    (void)state;
    StepCost c;
    Fault fault;
    assert_true(step_cost_read(
        &c, text_from("batch 1 0.5 0\nbatch 2.5 1e-3 2e-3\nrow 0\npast 3\nseen 2\n"), &fault));
    assert_true(c.points == 2 && c.tokens[1] == 2.5 && c.batch[0] == 0.5 &&
                c.batch[1] == 1e-3 && c.after[1] == 2e-3 && c.row == 0 && c.past == 3 &&
                c.seen == 2);
    static const char *const wrong[] = {
        "",
        "batch 1 1 0\n",
        "batch 1 1 0\nrow 0\npast 3\nseen 0\n",
        "batch 1 1 0\nbatch 1 1 0\nrow 0\npast 3\nseen 0\n",
        "batch 1 1 0\nbatch 2 -1 0\nrow 0\npast 3\nseen 0\n",
        "batch 1 1 0\nbatch 2 x 0\nrow 0\npast 3\nseen 0\n",
        "batch 1 1 0\nbatch 2 2\nrow 0\npast 3\nseen 0\n",
        "batch 1 1 0\nbatch 2\nrow 0\npast 3\nseen 0\n",
        "batch 1 1 0\nbatch 2 2 0\nrow 0\npast 3\nseen nan\n",
        "batch 1 1 0\nbatch 2 2 0\nrow 0\n",
        "batch 1 1 0\nbatch 2 2 0\nrow 0\nseen 0\n",
        "batch 1 1 0\nbatch 2 2 0\nrow 0\npast 3\nseen 0\nmore 1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (step_cost_read(&c, text_from(wrong[i]), &fault)) fail_msg("read: %s", wrong[i]);
}

static void traces_are_read_and_refused(void **state) {
    (void)state;
    Traffic t;
    Fault fault;
    assert_true(traffic_read(
        &t, text_from("arrival,prompt,answer,priority,user\n0,5,6,1\n2.5,7,8,0,9\n"), &fault));
    assert_int_equal(t.count, 2);
    assert_true(t.visits[1].arrival == 2.5 && t.visits[1].prompt == 7 &&
                t.visits[0].priority == 1 && t.visits[1].user == 9);
    traffic_free(&t);
    assert_true(traffic_read(&t, text_from("arrival,prompt,answer\r\n0,5,6\r\n"), &fault));
    traffic_free(&t);
    assert_true(traffic_read(&t, text_from("arrival,prompt,answer\n0,5,6"), &fault));
    traffic_free(&t);
    static const char *const wrong[] = {"",
                                        "when,what\n1,2\n",
                                        "arrival,prompt,answer\n",
                                        "arrival,prompt,answer\n0,0,1\n",
                                        "arrival,prompt,answer\n0,1\n",
                                        "arrival,prompt,answer\n1,1,1\n0,1,1\n",
                                        "arrival,prompt,answer\n0,1,1,1,1,1\n",
                                        "arrival,prompt,answer\n0,1,x\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (traffic_read(&t, text_from(wrong[i]), &fault)) fail_msg("read: %s", wrong[i]);
    TrafficShape shape = {
        .count = 4000, .rate = 10, .burst = 4, .prompt = 10, .answer = 20, .seed = 3};
    assert_true(traffic_make(&t, &shape, &fault));
    assert_near(t.visits[3999].arrival, 400, 40); /* ten a second */
    for (size_t i = 1; i < t.count; i++) {
        assert_true(t.visits[i].arrival >= t.visits[i - 1].arrival);
        if (i % 4) assert_true(t.visits[i].arrival == t.visits[i - 1].arrival);
        assert_in_range(t.visits[i].prompt, 6, 15);
    }
    traffic_free(&t);
}

/* Half a burst at the end takes half the time. */
static void the_last_burst_may_be_small(void **state) {
    (void)state;
    enum { SEEDS = 4000 };
    double sum = 0;
    for (int i = 0; i < SEEDS; i++) {
        Traffic t;
        Fault fault;
        const TrafficShape shape = {.count = 15,
                                    .rate = 10,
                                    .burst = 10,
                                    .prompt = 1,
                                    .answer = 1,
                                    .seed = (uint64_t)i};
        assert_true(traffic_make(&t, &shape, &fault));
        sum += t.visits[14].arrival;
        traffic_free(&t);
    }
    assert_near(sum / SEEDS, 1.5, 0.06); /* 15 of them, ten a second */
}

static const SimulatedMachine usual = {
    .policy = {.budget = 64, .chunk = 16, .running = 8, .waiting = 100},
    .cost = COST,
    .page_tokens = 64,
    .pages = 1000};

static Simulation run(SimulatedMachine m, const Traffic *t) {
    Simulation s = {0};
    Fault fault;
    if (!simulate(&m, t, 0, 1, &s, &fault)) fail_msg("%s", fault.text);
    return s;
}

static void one_alone_is_what_its_steps_take(void **state) {
    (void)state;
    Visit visit = {.arrival = 5, .prompt = 30, .answer = 2};
    Traffic t = {&visit, 1};
    Simulation s = run(usual, &t);
    assert_int_equal(s.steps, 2), assert_int_equal(s.tokens, 2);
    assert_near(s.waits[0].firsts[0], step_cost_seconds(&cost, (StepSize){30, 1, 30, 465, 0}),
                1e-9);
    assert_near(s.waits[0].gaps[0], step_cost_seconds(&cost, (StepSize){1, 1, 31, 31, 29}),
                1e-9);
    assert_near(s.end, 5 + s.waits[0].firsts[0] + s.waits[0].gaps[0], 1e-9);
    simulation_free(&s);
}

/* ------------------------------------------------------------------ machines together */

static StepGroup group_of(int machines, bool by_layers) {
    const MachinesShape shape = {64, 4, 2, 16, 96, 6, 300, 4.5};
    StepGroup group = {.network = {1e6, 1e-4}};
    machines_shape_cost(&shape, &(MachinesConfig){.by_layers = by_layers}, machines,
                        &group.cost);
    return group;
}

static void a_group_of_one_is_a_machine(void **state) {
    (void)state;
    Traffic t;
    Fault fault;
    const TrafficShape shape = {.count = 40, .rate = 3, .prompt = 40, .answer = 20, .seed = 3};
    assert_true(traffic_make(&t, &shape, &fault));
    Simulation alone = run(usual, &t);
    for (int by_layers = 0; by_layers < 2; by_layers++) {
        const StepGroup group = group_of(1, by_layers);
        SimulatedMachine m = usual;
        m.group = &group;
        Simulation s = run(m, &t);
        assert_near(s.end, alone.end, 1e-9);
        assert_near(s.busy, alone.busy, 1e-9);
        assert_int_equal(s.steps, alone.steps);
        simulation_free(&s);
    }
    simulation_free(&alone), traffic_free(&t);
}

/* The clock of a group is the model's of its costs: a prompt's step and a token's. */
static void a_group_is_simulated(void **state) {
    (void)state;
    Visit visit = {.arrival = 5, .prompt = 30, .answer = 2};
    Traffic t = {&visit, 1};
    for (int by_layers = 0; by_layers < 2; by_layers++) {
        const StepGroup group = group_of(3, by_layers);
        SimulatedMachine m = usual;
        m.group = &group;
        Simulation s = run(m, &t);
        const double first = step_group_seconds(&group, &cost, (StepSize){30, 1, 30, 465, 0}),
                     gap = step_group_seconds(&group, &cost, (StepSize){1, 1, 31, 31, 29});
        assert_near(s.waits[0].firsts[0], first, 1e-9);
        assert_near(s.waits[0].gaps[0], gap, 1e-9);
        assert_true(gap != step_cost_seconds(&cost, (StepSize){1, 1, 31, 31, 29}));
        simulation_free(&s);
    }
}

/* What the schedule plans with: exact where it has points. */
static void a_group_has_costs_of_its_own(void **state) {
    (void)state;
    for (int by_layers = 0; by_layers < 2; by_layers++) {
        const StepGroup group = group_of(3, by_layers);
        const StepCost c = step_group_cost(&group, &cost);
        for (double n = 1; n <= 512; n *= 2)
            assert_near(step_cost_seconds(&c, (StepSize){.tokens = n}),
                        step_group_seconds(&group, &cost, (StepSize){.tokens = n}), 1e-12);
        const StepSize one = {1, 1, 100, 100, 0};
        assert_near(step_cost_seconds(&c, one), step_group_seconds(&group, &cost, one), 1e-9);
    }
}

/* Reading for few tokens, arithmetic for many. */
static void a_machine_has_a_roof(void **state) {
    (void)state;
    const MachinesCost model = {.weights = 1000, .numbers = 2000, .kept = 10, .pairs = 40};
    StepCost c = step_cost_of_machine(&model, 100, 1000); /* 10 s to read, 4 s a token */
    static const double want[] = {10, 10, 12, 16, 400};
    static const double tokens[] = {1, 2, 3, 4, 100};
    for (int i = 0; i < 5; i++)
        assert_near(step_cost_seconds(&c, (StepSize){.tokens = tokens[i]}), want[i], 1e-9);
    assert_near(c.past, 0.2, 1e-12);
    assert_near(c.seen, 0.08, 1e-12);
    c = step_cost_of_machine(&model, 1e6, 1000); /* never limited by memory */
    assert_near(step_cost_seconds(&c, (StepSize){.tokens = 7}), 28, 1e-9);
}

static double mean(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static double longest(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

static void policies_do_what_they_are_for(void **state) {
    (void)state;
    Traffic t;
    Fault fault;
    TrafficShape shape = {
        .count = 300, .rate = 1.5, .prompt = 40, .answer = 40, .urgent = 0.2, .seed = 3};
    assert_true(traffic_make(&t, &shape, &fault));
    SimulatedMachine rigid = usual, sharing = usual, lonely = usual, scarce = usual;
    rigid.policy.static_batch = true;
    Simulation a = run(usual, &t), b = run(rigid, &t);
    assert_int_equal(a.tokens, b.tokens);
    assert_true(mean(a.waits[0].firsts, a.waits[0].firsts_count) <
                mean(b.waits[0].firsts, b.waits[0].firsts_count));
    simulation_free(&b);
    sharing.shared = lonely.shared = 256, sharing.shares = true;
    b = run(sharing, &t);
    Simulation c = run(lonely, &t);
    assert_true(b.busy < c.busy && b.most_pages < c.most_pages);
    simulation_free(&b), simulation_free(&c);
    SimulatedMachine sparing = usual;
    sparing.policy.stretch = 1.2, sparing.policy.cost = &cost;
    b = run(sparing, &t); /* shorter gaps, later first tokens */
    const Waits *x = &a.waits[0], *y = &b.waits[0];
    assert_true(longest(y->gaps, y->gaps_count) < longest(x->gaps, x->gaps_count));
    assert_true(b.served == 300 &&
                mean(y->firsts, y->firsts_count) > mean(x->firsts, x->firsts_count));
    simulation_free(&b);
    scarce.page_tokens = 16, scarce.pages = 14; /* some have to give theirs back */
    b = run(scarce, &t);
    assert_true(b.preempted > 0 && b.served == 300 && b.most_pages <= 14);
    simulation_free(&a), simulation_free(&b), traffic_free(&t);
}

/* One user sends more than the machine can serve. */
static void turns_keep_others_from_waiting(void **state) {
    (void)state;
    Traffic t;
    Fault fault;
    TrafficShape shape = {.count = 300,
                          .rate = 6,
                          .heavy = 5,
                          .prompt = 40,
                          .heavy_prompt = 400,
                          .answer = 40,
                          .seed = 3};
    assert_true(traffic_make(&t, &shape, &fault));
    SimulatedMachine turns = usual;
    size_t heavy = 0;
    for (size_t i = 0; i < t.count; i++) {
        assert_in_range(t.visits[i].prompt, t.visits[i].user ? 201 : 21,
                        t.visits[i].user ? 600 : 60);
        heavy += t.visits[i].user;
    }
    assert_in_range(heavy, 230, 270);
    turns.by_turns = true, turns.policy.waiting = 400;
    Simulation b = run(turns, &t);
    turns.by_turns = false;
    Simulation a = run(turns, &t);
    const Waits *first = a.waits, *fair = b.waits;
    assert_int_equal(first[1].firsts_count, heavy), assert_int_equal(a.served, 300);
    assert_int_equal(fair[1].firsts_count, heavy), assert_int_equal(b.served, 300);
    assert_true(mean(fair[0].firsts, fair[0].firsts_count) <
                0.2 * mean(first[0].firsts, first[0].firsts_count));
    simulation_free(&a), simulation_free(&b), traffic_free(&t);
}

/* ------------------------------------------------------------------ beside the real one */

static size_t real_steps(const Traffic *t, SchedulePolicy policy) {
    enum { USERS = 30 };
    static TokenList tokens[USERS];
    static Chain chains[USERS];
    static ServiceRequest requests[USERS];
    House h;
    Service service;
    Fault fault;
    char chain[64]; /* no answer ends before its time */
    open_house(
        &h, (SessionConfig){.sequences = policy.running, .max_tokens = 64, .max_logits = 64});
    assert_true(service_open(&service, &h.session, policy, &fault));
    for (size_t i = 0; i < t->count; i++) {
        tokens[i] = (TokenList){0};
        for (size_t k = 0; k < t->visits[i].prompt; k++)
            token_list_add(&tokens[i], (int32_t)(97 + rng_hash(4, i, k) % 26));
        snprintf(chain, sizeof chain, "bias:%d=-1000,draw", tokenizer_bos(h.model.tokenizer));
        assert_true(chain_parse(&chains[i], chain, h.model.tokenizer, &fault));
        requests[i] = (ServiceRequest){
            .tokens = &tokens[i],
            .user = t->visits[i].user,
            .options = {.chain = &chains[i],
                        .seed = i,
                        .limits = {.max_tokens = t->visits[i].answer, .only_bos_ends = true}}};
        assert_true(service_submit(&service, &requests[i], &fault));
    }
    while (service.count) assert_true(service_step(&service, &fault));
    size_t steps = service.counts.steps, count = service.counts.tokens, want = 0;
    for (size_t i = 0; i < t->count; i++) {
        want += t->visits[i].answer;
        token_list_free(&tokens[i]), chain_close(&chains[i]);
    }
    assert_int_equal(count, want);
    service_close(&service);
    close_house(&h);
    return steps;
}

/* All come at once, so no plan depends on the clock. */
static void it_takes_the_steps_of_the_service(void **state) {
    (void)state;
    Rng rng = {4, 0, 0};
    Traffic t;
    Fault fault;
    TrafficShape shape = {.count = 30, .prompt = 30, .answer = 20, .seed = 8};
    assert_true(traffic_make(&t, &shape, &fault));
    for (size_t i = 0; i < t.count; i++) t.visits[i].user = (uint32_t)rng_below(&rng, 3);
    for (size_t places = 1; places <= 16; places *= 2)
        for (int rigid = 0; rigid < 2; rigid++) {
            SimulatedMachine m = usual;
            m.policy.running = places, m.policy.static_batch = rigid, m.by_turns = true;
            Simulation s = run(m, &t);
            assert_int_equal(s.steps, real_steps(&t, m.policy));
            simulation_free(&s);
        }
    traffic_free(&t);
}

/* Arrivals in order, a token at least, and the same again: of traffic, and of its service. */
static void the_same_traffic_is_served_alike(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const TrafficShape shape = {.count = 60,
                                    .rate = (double)(seed % 4) * 3,
                                    .burst = seed % 6,
                                    .prompt = 1 + seed % 9,
                                    .answer = 1 + seed % 5,
                                    .urgent = 0.2,
                                    .heavy = seed % 2 ? 5 : 0,
                                    .heavy_prompt = 30,
                                    .seed = seed};
        Traffic t, again;
        Fault fault;
        assert_true(traffic_make(&t, &shape, &fault));
        assert_true(traffic_make(&again, &shape, &fault));
        assert_int_equal(t.count, again.count);
        for (size_t i = 0; i < t.count; i++) {
            assert_true(t.visits[i].prompt > 0 && t.visits[i].answer > 0);
            if (i) assert_true(t.visits[i].arrival >= t.visits[i - 1].arrival);
            assert_true(t.visits[i].arrival == again.visits[i].arrival &&
                        t.visits[i].prompt == again.visits[i].prompt &&
                        t.visits[i].user == again.visits[i].user);
        }
        Simulation a = run(usual, &t), b = run(usual, &again);
        assert_true(a.end == b.end && a.steps == b.steps && a.preempted == b.preempted);
        for (int k = 0; k < 2; k++)
            assert_memory_equal(a.waits[k].firsts, b.waits[k].firsts,
                                a.waits[k].firsts_count * sizeof *a.waits[k].firsts);
        simulation_free(&a), simulation_free(&b), traffic_free(&t), traffic_free(&again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_found_again),
        cmocka_unit_test(a_curve_is_found_again),
        cmocka_unit_test(disturbed_steps_count),
        cmocka_unit_test(steps_are_learned),
        cmocka_unit_test(costs_are_text),
        cmocka_unit_test(traces_are_read_and_refused),
        cmocka_unit_test(the_last_burst_may_be_small),
        cmocka_unit_test(one_alone_is_what_its_steps_take),
        cmocka_unit_test(a_group_of_one_is_a_machine),
        cmocka_unit_test(a_group_is_simulated),
        cmocka_unit_test(a_group_has_costs_of_its_own),
        cmocka_unit_test(a_machine_has_a_roof),
        cmocka_unit_test(policies_do_what_they_are_for),
        cmocka_unit_test(turns_keep_others_from_waiting),
        cmocka_unit_test(it_takes_the_steps_of_the_service),
        cmocka_unit_test(the_same_traffic_is_served_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
