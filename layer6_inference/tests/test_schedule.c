/* the plan of a step: its rules one by one, and a million random steps */
#include "check.h"
#include "inference_extras.h"
#include "touches.h"

#define MOST 40

typedef struct Scene {
    SchedulePolicy policy;
    ScheduleMemory memory;
    ScheduleJob jobs[MOST];
    SchedulePlan plan[MOST];
    size_t order[MOST], n;
    double now;
} Scene;

static const SchedulePolicy usual = {.budget = 64, .chunk = 16, .running = 8, .waiting = 100};

static Scene scene(SchedulePolicy policy, size_t pages) {
    return (Scene){.policy = policy, .memory = {16, pages, pages}, .now = 100};
}

static ScheduleJob *add(Scene *s, size_t tokens, size_t read) {
    ScheduleJob *j = &s->jobs[s->n++];
    *j = (ScheduleJob){
        .arrival = (double)s->n, .tokens = tokens, .read = read, .running = read > 0};
    s->memory.free -= (read + 15) / 16;
    return j;
}

static void plan(Scene *s) {
    schedule_plan(&s->policy, &s->memory, s->jobs, s->n, s->now, s->plan, s->order);
}

static void assert_plan(const Scene *s, size_t i, size_t tokens, bool admit, bool preempt) {
    const SchedulePlan *p = &s->plan[i];
    if (p->tokens != tokens || p->admit != admit || p->preempt != preempt)
        fail_msg("job %zu: %zu tokens%s%s", i, p->tokens, p->admit ? ", admitted" : "",
                 p->preempt ? ", preempted" : "");
}

static void answers_come_before_prompts(void **state) {
    (void)state;
    Scene s = scene(usual, 100);
    s.policy.budget = 20;
    add(&s, 300, 16), add(&s, 30, 29), add(&s, 50, 49), add(&s, 10, 0);
    plan(&s);
    assert_plan(&s, 1, 1, false, false), assert_plan(&s, 2, 1, false, false);
    assert_plan(&s, 0, 16, false, false);
    assert_plan(&s, 3, 2, true, false); /* what the budget leaves */
    s.policy.prompts_first = true;
    plan(&s);
    assert_plan(&s, 0, 16, false, false), assert_plan(&s, 3, 4, true, false);
    assert_plan(&s, 1, 0, false, false);
}

/* Beside answers prompts have the time that they leave: here each token takes a second, and so
 * does a row. */
static void answers_are_spared(void **state) {
    (void)state;
    const StepCost cost = {.tokens = {1, 2}, .batch = {9, 10}, .points = 2, .row = 1};
    Scene s = scene(usual, 100);
    s.policy.cost = &cost;
    add(&s, 300, 40), add(&s, 30, 29), add(&s, 50, 49); /* 12 seconds for both answers */
    s.policy.stretch = 1.6;
    plan(&s);
    assert_plan(&s, 1, 1, false, false), assert_plan(&s, 2, 1, false, false);
    assert_plan(&s, 0, 7, false, false); /* 19.2 seconds */
    add(&s, 200, 0);
    plan(&s); /* who comes is not kept waiting until the long one is read */
    assert_plan(&s, 0, 8 - SCHEDULE_LEAST, false, false);
    assert_plan(&s, 3, SCHEDULE_LEAST, true, false);
    s.policy.stretch = 1;
    plan(&s);
    assert_plan(&s, 0, SCHEDULE_LEAST, false, false);
    assert_plan(&s, 3, SCHEDULE_LEAST, true, false);
    s.policy.pace = 22; /* so long a step is short enough for everybody */
    plan(&s);
    assert_plan(&s, 0, 10 - SCHEDULE_LEAST, false, false);
    assert_plan(&s, 3, SCHEDULE_LEAST, true, false);
    s.policy.pace = 0, s.policy.stretch = 1000; /* nothing but the budget and the chunk */
    plan(&s);
    assert_plan(&s, 0, 16, false, false), assert_plan(&s, 3, 16, true, false);
    s.policy.stretch = 1, s.n = 1; /* no other job to protect */
    plan(&s);
    assert_plan(&s, 0, 64, false, false);
    s.n = 3, s.policy.cost = NULL; /* the cost is unknown */
    plan(&s);
    assert_plan(&s, 0, 16, false, false);
}

static void prompts_take_turns(void **state) {
    (void)state;
    Scene s = scene(usual, 1000);
    s.policy.budget = 16;
    add(&s, 900, 10)->served = 5, add(&s, 900, 10)->served = 4, add(&s, 900, 10)->served = 6;
    plan(&s);
    assert_plan(&s, 1, 16, false, false), assert_plan(&s, 0, 0, false, false);
    s.n = 1, s.policy.budget = 400;
    plan(&s);
    assert_plan(&s, 0, 400, false, false); /* alone: all of the budget */
}

static void the_most_urgent_is_never_passed(void **state) {
    (void)state;
    Scene s = scene(usual, 10);
    add(&s, 17, 16);
    add(&s, 150, 0), add(&s, 5, 0); /* the long one does not fit, the short one would */
    plan(&s);
    assert_plan(&s, 1, 0, false, false), assert_plan(&s, 2, 0, false, false);
    s.jobs[2].priority = 1;
    plan(&s);
    assert_plan(&s, 2, 5, true, false);
    s.jobs[2].priority = 0, s.jobs[2].arrival = 0; /* who came first */
    plan(&s);
    assert_plan(&s, 2, 5, true, false);
}

/* A job that comes needs pages for its text and one more token; the one that runs may need
 * another page, too. */
static void pages_are_counted_to_the_token(void **state) {
    (void)state;
    Scene s = scene(usual, 3);
    add(&s, 17, 16), add(&s, 15, 0);
    plan(&s); /* 2 pages are free: one for 15 tokens and one more, one for the other job */
    assert_plan(&s, 0, 1, false, false), assert_plan(&s, 1, 0, false, false);
    s.jobs[0].read = 15, s.jobs[0].tokens = 16; /* it needs no page now */
    plan(&s);
    assert_plan(&s, 0, 1, false, false), assert_plan(&s, 1, 15, true, false);
    s.jobs[1].tokens = 16;
    plan(&s);
    assert_plan(&s, 1, 0, false, false);
    s = scene(usual, 2);
    add(&s, 16, 15), add(&s, 17, 16);
    plan(&s); /* the last number of a page takes none from another job */
    assert_plan(&s, 0, 1, false, false), assert_plan(&s, 1, 0, false, false);
}

static void waiting_makes_urgent(void **state) {
    (void)state;
    Scene s = scene(usual, 10);
    s.policy.running = 1;
    add(&s, 20, 0)->arrival = 50, add(&s, 20, 0)->arrival = 99;
    s.jobs[1].priority = 2;
    plan(&s);
    assert_plan(&s, 1, 20, true, false);
    s.policy.ageing = 10; /* 50 seconds are five levels */
    plan(&s);
    assert_plan(&s, 0, 20, true, false), assert_plan(&s, 1, 0, false, false);
}

/* Several jobs of one user have waited long; another user arrives. */
static void users_take_turns(void **state) {
    (void)state;
    Scene s = scene(usual, 100);
    s.policy.running = 3;
    add(&s, 20, 19), add(&s, 20, 19)->turn = 1, add(&s, 20, 0)->turn = 2;
    add(&s, 10, 0)->arrival = 99;
    plan(&s);
    assert_plan(&s, 3, 10, true, false), assert_plan(&s, 2, 0, false, false);
    assert_int_equal(s.order[0], 0), assert_int_equal(s.order[1], 3);
    s.policy.ageing = 10; /* they wait for their own user's jobs: that makes none urgent */
    plan(&s);
    assert_plan(&s, 3, 10, true, false);
    s.jobs[2].priority = 1; /* but priorities count */
    plan(&s);
    assert_plan(&s, 2, 16, true, false), assert_plan(&s, 3, 0, false, false);
}

static void pages_are_taken_from_the_least_urgent(void **state) {
    (void)state;
    Scene s = scene(usual, 9);
    add(&s, 49, 48), add(&s, 33, 32), add(&s, 65, 64);
    assert_int_equal(s.memory.free, 0);
    plan(&s);
    assert_plan(&s, 0, 1, false, false), assert_plan(&s, 1, 1, false, false);
    assert_plan(&s, 2, 0, false, true);
    s.jobs[2].priority = 1; /* now the second came last of the least urgent */
    plan(&s);
    assert_plan(&s, 2, 1, false, false), assert_plan(&s, 1, 0, false, true);
    assert_plan(&s, 0, 1, false, false);
}

static void a_higher_priority_takes_a_place(void **state) {
    (void)state;
    Scene s = scene(usual, 100);
    s.policy.running = 2;
    add(&s, 20, 19), add(&s, 30, 29), add(&s, 10, 0);
    plan(&s);
    assert_plan(&s, 1, 1, false, false), assert_plan(&s, 2, 0, false, false);
    s.jobs[2].priority = 1;
    plan(&s);
    assert_plan(&s, 1, 0, false, true), assert_plan(&s, 2, 10, true, false);
}

static void what_is_over_is_dropped(void **state) {
    (void)state;
    Scene s = scene(usual, 100);
    add(&s, 20, 19)->cancelled = true, add(&s, 30, 0)->deadline = 99.5,
                add(&s, 30, 0)->deadline = 101;
    plan(&s);
    assert_true(s.plan[0].drop && s.plan[1].drop && !s.plan[2].drop);
    assert_plan(&s, 0, 0, false, false), assert_plan(&s, 1, 0, false, false);
    assert_plan(&s, 2, 30, true, false);
}

static void a_static_batch_waits_for_its_last(void **state) {
    (void)state;
    Scene s = scene(usual, 100);
    s.policy.static_batch = true;
    add(&s, 20, 19), add(&s, 10, 0), add(&s, 10, 0);
    plan(&s);
    assert_plan(&s, 1, 0, false, false);
    s.jobs[0].cancelled = true;
    plan(&s);
    assert_plan(&s, 1, 10, true, false), assert_plan(&s, 2, 10, true, false);
    s.n = 0, s.policy.budget = 12;
    add(&s, 10, 0), add(&s, 10, 0), add(&s, 10, 0);
    plan(&s); /* it is filled up to its places, and read in as many steps as it takes */
    assert_plan(&s, 0, 10, true, false), assert_plan(&s, 1, 2, true, false);
    assert_plan(&s, 2, 0, true, false);
    s.n = 0;
    add(&s, 11, 10), add(&s, 10, 2), add(&s, 10, 0)->running = true;
    plan(&s); /* no job generates before all prompts are read */
    assert_plan(&s, 1, 8, false, false), assert_plan(&s, 2, 4, false, false);
    assert_plan(&s, 0, 0, false, false);
}

static void what_can_never_run_is_refused(void **state) {
    (void)state;
    Scene s = scene(usual, 4);
    Fault fault;
    assert_true(schedule_accepts(&s.policy, &s.memory, 99, 63, &fault));
    assert_false(schedule_accepts(&s.policy, &s.memory, 100, 63, &fault));
    assert_contains(fault.text, "the queue is full: 100 texts are waiting");
    assert_false(schedule_accepts(&s.policy, &s.memory, 0, 64, &fault));
    assert_contains(fault.text, "64 tokens");
}

/* ------------------------------------------------------------------ random steps */

static size_t pages_of(size_t tokens) { return (tokens + 15) / 16; }

/* Was job i preempted for a more urgent one, who reads in this step or waits with a higher
 * priority? */
static bool is_for_somebody(const Scene *s, size_t i) {
    for (size_t k = 0; k < s->plan[i].rank; k++) {
        const size_t m = s->order[k];
        if (s->plan[m].tokens) return true;
        if (!s->jobs[m].running && s->jobs[m].priority > s->jobs[i].priority) return true;
    }
    return false;
}

/* What is true of every plan. */
static void assert_sound(const Scene *s) {
    size_t tokens = 0, running = 0, pages = 0, first = MOST;
    for (size_t k = 0; k < s->n; k++) {
        const size_t i = s->order[k];
        const ScheduleJob *j = &s->jobs[i];
        const SchedulePlan *p = &s->plan[i];
        bool runs = (j->running || p->admit) && !p->drop && !p->preempt;
        assert_int_equal(p->rank, k);
        assert_true(p->tokens == 0 || runs);
        assert_false(p->admit && j->running);
        assert_false(p->preempt && !j->running);
        tokens += p->tokens, running += runs;
        size_t have = (j->running ? j->read : p->tokens ? j->cached : 0) + p->tokens;
        assert_true(have <= j->tokens);
        if (runs) pages += pages_of(have);
        if (runs && j->running && first == MOST) first = i;
        if (p->preempt) assert_true(is_for_somebody(s, i));
    }
    assert_true(tokens <= s->policy.budget && running <= s->policy.running);
    assert_true(pages <= s->memory.pages);
    if (first < MOST && s->jobs[first].tokens - s->jobs[first].read == 1 &&
        !s->policy.prompts_first && !s->policy.static_batch)
        assert_true(s->plan[first].tokens == 1);
}

/* Carry the plan out. */
static void carry_out(Scene *s, Rng *rng) {
    size_t left = 0;
    for (size_t i = 0; i < s->n; i++) {
        ScheduleJob j = s->jobs[i];
        const SchedulePlan *p = &s->plan[i];
        if (p->admit) j.running = true, j.read = p->tokens ? j.cached : 0;
        if (p->preempt) j.running = false, j.read = 0;
        j.read += p->tokens;
        if (p->tokens) j.served = (uint64_t)s->now;
        if (j.turn && rng_below(rng, 8) == 0) j.turn--; /* one before it is over */
        bool over = p->drop;
        if (p->tokens && j.read == j.tokens) {
            over = over || j.tokens >= 16 * s->memory.pages - 1 || rng_below(rng, 12) == 0;
            j.tokens++;
        }
        if (rng_below(rng, 200) == 0) j.cancelled = true;
        if (!over) s->jobs[left++] = j;
    }
    s->n = left, s->memory.free = s->memory.pages;
    for (size_t i = 0; i < s->n; i++) s->memory.free -= pages_of(s->jobs[i].read);
    s->now++;
}

static void arrive(Scene *s, Rng *rng) {
    Fault fault;
    size_t tokens = 1 + rng_below(rng, rng_below(rng, 4) ? 30 : 16 * s->memory.pages - 1),
           waiting = 0;
    for (size_t i = 0; i < s->n; i++) waiting += !s->jobs[i].running;
    if (s->n == MOST || !schedule_accepts(&s->policy, &s->memory, waiting, tokens, &fault))
        return;
    s->jobs[s->n++] =
        (ScheduleJob){.priority = (int)rng_below(rng, 3),
                      .arrival = s->now,
                      .deadline = rng_below(rng, 5) ? 0 : s->now + rng_below(rng, 300),
                      .tokens = tokens,
                      .turn = rng_below(rng, 4),
                      .cached = rng_below(rng, 3) ? 0 : rng_below(rng, tokens)};
}

static void random_steps_are_sound(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 500; round++) {
        Rng rng = {5, round, 0};
        Scene s = scene(usual, 6 + rng_below(&rng, 60));
        const StepCost cost = {
            .tokens = {1, 2}, .batch = {3, 3 + (double)rng_below(&rng, 2)}, .points = 2};
        s.policy = (SchedulePolicy){.budget = 14 + rng_below(&rng, 60),
                                    .chunk = rng_below(&rng, 20),
                                    .running = 1 + rng_below(&rng, 12),
                                    .waiting = 30,
                                    .ageing = rng_below(&rng, 3) * 20,
                                    .static_batch = rng_below(&rng, 6) == 0,
                                    .prompts_first = rng_below(&rng, 4) == 0,
                                    .stretch = 1 + rng_below(&rng, 3),
                                    .cost = &cost};
        s.memory.free = s.memory.pages;
        for (int step = 0; step < 2000; step++) {
            while (step < 1500 && rng_below(&rng, 3) == 0) arrive(&s, &rng);
            plan(&s);
            assert_sound(&s);
            carry_out(&s, &rng);
        }
        if (s.n) fail_msg("round %d: %zu jobs are left", (int)round, s.n);
    }
}

/* How often a plan reads numbers of n running jobs, some of which read their prompts. */
static size_t looks(size_t n, size_t prompts) {
    enum { JOBS = 512 };
    static SchedulePlan plans[JOBS];
    static size_t order[JOBS];
    const SchedulePolicy policy = {.budget = 100000, .running = JOBS, .waiting = 100};
    const ScheduleMemory memory = {16, 100000, 100000};
    ScheduleJob *jobs = (ScheduleJob *)(void *)touched_array(0);
    size_t count = 0;
    assert_true(n * sizeof *jobs <= TOUCHED_BYTES && n <= JOBS);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (ScheduleJob){.arrival = (double)rng_below(&(Rng){1, i, 0}, 1000),
                                .tokens = i < prompts ? 300 : 30,
                                .read = i < prompts ? 16 : 29,
                                .running = true};
    touches_begin();
    schedule_plan(&policy, &memory, jobs, n, 1000, plans, order);
    touches_end();
    for (size_t i = 0; i < TOUCHED_BYTES / 4; i++) count += touched[0].reads[i];
    touches_free();
    return count;
}

static void a_plan_looks_at_each_job_a_few_times(void **state) {
    (void)state;
#if !TOUCHES_COUNTED
    skip();
#endif
    const size_t few = looks(64, 0), many = looks(512, 0);
    assert_true(few > 64 * 6);
    assert_true(many < few * (8 * 9 / 6 + 1)); /* n log2(n); n^2 would be 64 times as many */
    assert_true(looks(512, 10) < many + 11 * 512 * 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_before_prompts),
        cmocka_unit_test(answers_are_spared),
        cmocka_unit_test(prompts_take_turns),
        cmocka_unit_test(the_most_urgent_is_never_passed),
        cmocka_unit_test(pages_are_counted_to_the_token),
        cmocka_unit_test(waiting_makes_urgent),
        cmocka_unit_test(users_take_turns),
        cmocka_unit_test(pages_are_taken_from_the_least_urgent),
        cmocka_unit_test(a_higher_priority_takes_a_place),
        cmocka_unit_test(what_is_over_is_dropped),
        cmocka_unit_test(a_static_batch_waits_for_its_last),
        cmocka_unit_test(what_can_never_run_is_refused),
        cmocka_unit_test(random_steps_are_sound),
        cmocka_unit_test(a_plan_looks_at_each_job_a_few_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
