/* The graders of the schedule: which job is more urgent, admitted, preempted. */
#include "grader.h"
#include "inference.h"
#include "schedule.h"

DECLARE_SHIPPED(schedule_plan);

enum { MOST = 24, PAGE = 16 };

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
    return (Scene){.policy = policy, .memory = {PAGE, pages, pages}, .now = 100};
}

/* A job that runs when it has read something; each comes a second after the one before it. */
static ScheduleJob *add(Scene *s, size_t tokens, size_t read) {
    ScheduleJob *j = &s->jobs[s->n++];
    *j = (ScheduleJob){
        .arrival = 50 + (double)s->n, .tokens = tokens, .read = read, .running = read > 0};
    s->memory.free -= (read + PAGE - 1) / PAGE;
    return j;
}

static void plan(Scene *s) {
    memset(s->plan, 0, sizeof s->plan);
    schedule_plan(&s->policy, &s->memory, s->jobs, s->n, s->now, s->plan, s->order);
}

/* ------------------------------------------------------------------ urgency */

/* Job 0 against job 1, both waiting for the only slot. */
static void first_is(Scene *s, size_t want, const char *why) {
    plan(s);
    HINT(!s->plan[0].admit || !s->plan[1].admit,
         "two wait, there is one slot (policy->running), and both are admitted: an admitted "
         "job counts as running");
    HINT(s->plan[want].rank < s->plan[1 - want].rank && s->plan[want].admit &&
             !s->plan[1 - want].admit,
         "two wait for one slot: priorities %d and %d, arrived %g and %g s ago, ageing %g s. "
         "Job %zu (from 0) comes first: %s",
         s->jobs[0].priority, s->jobs[1].priority, s->now - s->jobs[0].arrival,
         s->now - s->jobs[1].arrival, s->policy.ageing, want, why);
}

static void urgencies(void) {
    Scene s = scene(usual, 50);
    s.policy.running = 1;
    add(&s, 20, 0)->arrival = 40, add(&s, 20, 0)->arrival = 90;
    first_is(&s, 0, "of equals, who came first");
    s.jobs[1].priority = 1;
    first_is(&s, 1, "the larger priority is the more urgent one; 0 seconds of ageing: none");
    s.policy.ageing = 1000;
    first_is(&s, 1, "a minute is less than the ageing, so it is worth no level");
    s.policy.ageing = 25;
    first_is(&s, 0,
             "60 seconds are two levels of 25, and the other one has its priority of 1 alone");
    s.jobs[1].priority = 2, s.jobs[1].arrival = 74;
    first_is(&s, 1, "two levels of waiting against a priority of 2 and one level");
    s.jobs[1].priority = 1, s.jobs[1].arrival = 51;
    first_is(&s, 0, "two levels each, whole levels: of equals, who came first");
    s.policy.ageing = 0, s.jobs[1].priority = 0, s.jobs[1].arrival = s.jobs[0].arrival;
    first_is(&s, 0, "they came at the same time, so the order of the list decides");
    s.jobs[0].priority = -1;
    first_is(&s, 1, "a priority may be less than 0");
    s.jobs[0].priority = 0, s.jobs[0].arrival = 40.75, s.jobs[1].arrival = 40.25;
    first_is(&s, 1, "of equals, who came first, were it by less than a second");
    s.policy.ageing = 12.5, s.jobs[1].priority = 5;
    s.jobs[0].arrival = 40, s.jobs[1].arrival = 90;
    first_is(&s, 1, "60 seconds are four whole levels of 12.5, and the other one has 5");
    s.jobs[1].priority = 4, s.jobs[1].arrival = 87.5;
    first_is(&s, 1, "12.5 seconds are one whole level of 12.5, added to the priority of 4");
    s.policy.ageing = 0.5, s.jobs[1].arrival = 41;
    first_is(&s, 1, "levels of half a second: 120, and 118 with a priority of 4");
    s.policy.ageing = 0, s.jobs[0].priority = s.jobs[1].priority = 0, s.jobs[0].turn = 1;
    first_is(&s, 1,
             "users take turns: job 0 belongs to the next round (turn 1), job 1 to this one");
    s.jobs[1].turn = 2;
    first_is(
        &s, 0,
        "users take turns: the next round (turn 1) comes before the one after it (turn 2)");
    s.policy.ageing = 5, s.jobs[1].turn = 0;
    first_is(&s, 1,
             "users take turns: a job that is not in this round yet (turn 1) does not age");
    s.jobs[0].priority = 20;
    first_is(&s, 0, "a priority of 20 is more than eleven levels, whichever job's turn it is");
}

/* ------------------------------------------------------------------ who comes in */

static void comes_in(Scene *s, size_t job, bool want, const char *why) {
    plan(s);
    HINT(s->plan[job].admit == want, "job %zu waits, with %zu pages free, and %s: %s", job,
         s->memory.free, want ? "comes in" : "does not come in", why);
}

static void admissions(void) {
    Scene s = scene(usual, 10);
    add(&s, 17, 16), add(&s, 150, 0), add(&s, 5, 0);
    comes_in(&s, 2, false,
             "the more urgent one before it has no pages (has_pages), and is not passed");
    s.jobs[1].cancelled = true;
    comes_in(&s, 2, true, "the one before it is dropped");
    s.jobs[1].cancelled = false, s.jobs[1].tokens = 20;
    comes_in(&s, 1, true, "its pages fit");
    comes_in(&s, 2, true, "so do those of the next one");
    HINT(s.plan[1].tokens == 16 && s.plan[2].tokens == 5,
         "who comes in reads its first chunk (chunk_of) in the same step: expected 16 and 5 "
         "tokens, got %zu and %zu",
         s.plan[1].tokens, s.plan[2].tokens);
    s.policy.running = 2;
    comes_in(&s, 2, false, "two run then, and there are two slots (policy->running)");
    s.policy.running = 8, s.policy.budget = 9;
    comes_in(&s, 2, false, "the step has no tokens left (budget) when its turn comes");
    s.policy.budget = 64, s.policy.static_batch = true;
    comes_in(&s, 1, false, "no job joins a static batch that runs");
    s.jobs[0].cancelled = true;
    comes_in(&s, 1, true, "the static batch is over");
    comes_in(&s, 2, true, "a static batch begins with as many jobs as there are slots");
    s.policy.budget = 9;
    comes_in(&s, 2, true,
             "a static batch fills all its slots, whatever one step has tokens for (budget): "
             "its prompts are read in as many steps as it takes");
}

/* ------------------------------------------------------------------ whose pages */

static void goes(Scene *s, size_t want, const char *why) {
    plan(s);
    for (size_t i = 0; i < s->n; i++)
        HINT(s->plan[i].preempt == (i == want),
             "no page is free, and a job needs one: job %zu of %zu %s: %s", i, s->n,
             i == want ? "should give its pages" : "should keep its pages", why);
}

static void preemptions(void) {
    Scene s = scene(usual, 9);
    add(&s, 49, 48), add(&s, 33, 32), add(&s, 65, 64);
    goes(&s, 2, "the least urgent one goes");
    s.jobs[2].priority = 1;
    goes(&s, 1, "the least urgent one goes: here who came last of those with priority 0");
    s = scene(usual, 9);
    add(&s, 49, 48), add(&s, 90, 0)->running = true, add(&s, 97, 96);
    add(&s, 20, 0)->running = true; /* both run, and have read nothing yet */
    goes(&s, 2, "a job that has read nothing holds no pages: to preempt it frees none");
    s = scene(usual, 6);
    add(&s, 60, 16)->served = 5, add(&s, 60, 20)->served = 1;
    s.memory.free = 0;
    plan(&s);
    HINT(!s.plan[1].preempt,
         "a prompt got tokens of this step, because it was its turn, and lost its pages in it "
         "to a more urgent one: a job that is in the step keeps its slot");
    s = scene(usual, 7);
    add(&s, 60, 59)->arrival = 10, add(&s, 49, 48)->arrival = 20;
    s.memory.free = 0;
    plan(&s);
    HINT(s.plan[0].tokens == 1 && !s.plan[0].preempt && !s.plan[1].preempt &&
             s.plan[1].tokens == 0,
         "the last one needs a page, and the only other one is more urgent and is read in this "
         "step: it waits, and no job gives pages to a less urgent one");
    s = scene(usual, 8);
    add(&s, 49, 48), add(&s, 40, 39), add(&s, 5, 0);
    s.memory.free = 0;
    plan(&s);
    HINT(!s.plan[2].admit,
         "a job was preempted in this step, and job 2 was admitted: no job is admitted then "
         "(preempted), or the two would take turns for ever");
}

/* ------------------------------------------------------------------ any */

static Scene any_scene(void) {
    Scene s = scene(usual, 10 + fresh_below(60));
    s.policy.budget = 10 + fresh_below(60), s.policy.chunk = fresh_below(3) * 8;
    s.policy.running = 1 + fresh_below(9), s.policy.static_batch = fresh_below(6) == 0;
    s.policy.ageing = fresh_below(2) ? 0 : 0.5 + (double)fresh_below(70) / 2;
    s.policy.prompts_first = fresh_below(5) == 0;
    size_t running = 0, n = 1 + fresh_below(MOST);
    while (s.n < n) {
        size_t tokens = 1 + fresh_below(120), read = fresh_below(tokens);
        size_t pages = (read + PAGE - 1) / PAGE;
        if (fresh_below(2) || running == s.policy.running || pages > s.memory.free) read = 0;
        if (read && fresh_below(2)) read = tokens - 1;
        if ((read + PAGE - 1) / PAGE > s.memory.free) read = 0;
        ScheduleJob *j = add(&s, tokens, read);
        running += j->running;
        j->priority = (int)fresh_below(3), j->arrival = (double)fresh_below(200) / 2;
        j->turn = fresh_below(3) ? 0 : fresh_below(4);
        j->served = fresh_below(9), j->cancelled = fresh_below(12) == 0;
        j->deadline = fresh_below(9) ? 0 : 90 + (double)fresh_below(20);
        if (!j->running && tokens > PAGE) j->cached = fresh_below(tokens / PAGE + 1) * PAGE;
        if (j->cached >= tokens) j->cached = 0;
    }
    return s;
}

static void any(void) {
    for (int round = 0; round < 3000; round++) {
        Scene s = any_scene(), t = s;
        plan(&s);
        SHIPPED(schedule_plan)
        (&t.policy, &t.memory, t.jobs, t.n, t.now, t.plan, t.order);
        for (size_t i = 0; i < s.n; i++) {
            const char *state = s.jobs[i].running ? "runs" : "waits";
            COUNT(s.plan[i].rank, t.plan[i].rank,
                  "%zu jobs of any kind: the rank of job %zu (before, urgency)", s.n, i);
            COUNT(s.plan[i].admit, t.plan[i].admit,
                  "%zu jobs of any kind: does job %zu come in (admit)", s.n, i);
            COUNT(s.plan[i].preempt, t.plan[i].preempt,
                  "%zu jobs of any kind: is job %zu, which %s, preempted (victim)", s.n, i,
                  state);
            COUNT(s.plan[i].tokens, t.plan[i].tokens,
                  "%zu jobs of any kind: tokens that job %zu, which %s, reads", s.n, i, state);
        }
    }
}

GRADE(urgency_and_pages) {
    urgencies();
    admissions();
    preemptions();
    any();
}

/* ------------------------------------------------------------------ broken: turns */

/* Prompts and a small budget, step after step. */
GRADE(turns) {
    Scene s = scene(usual, 100);
    size_t steps = 0, n = 3 + fresh_below(3);
    s.policy.budget = 16;
    for (size_t i = 0; i < n; i++) add(&s, 200 + fresh_below(50), 1);
    for (; steps < 20; steps++) {
        plan(&s);
        for (size_t i = 0; i < s.n; i++)
            if (s.plan[i].tokens)
                s.jobs[i].read += s.plan[i].tokens, s.jobs[i].served = steps + 1;
    }
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < s.n; i++)
        least = min_size(least, s.jobs[i].read), most = max_size(most, s.jobs[i].read);
    SYMPTOM(most <= least + 2 * s.policy.chunk,
            "%zu long prompts are read side by side, %zu tokens in a step. After %zu steps one "
            "has %zu tokens in memory, and another one has %zu",
            n, s.policy.budget, steps, most, least);
    any();
}

GRADES({"6.35", urgency_and_pages}, {"6.38", turns})
