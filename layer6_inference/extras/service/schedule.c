/* schedule.c - see schedule.h. */
#include "schedule.h"

#include <math.h>

/* A plan in the making. */
typedef struct Plan {
    const SchedulePolicy *policy;
    const ScheduleMemory *memory;
    const ScheduleJob *jobs;
    size_t n;
    double now;
    SchedulePlan *plan;
    size_t *order;       /* (n) job indices, most urgent first */
    size_t budget, free; /* tokens left of the budget */
    size_t join;         /* tokens that prompts already being read leave over */
    size_t running;      /* running jobs, after the plan */
    bool preempted;
} Plan;

/* ------------------------------------------------------------------ urgency */

/* The priority, plus a level for each whole `ageing` seconds of waiting in its user's turn. */
static double urgency(const Plan *d, const ScheduleJob *j) {
    double waited = j->turn ? 0 : d->now - j->arrival;
    return j->priority + (d->policy->ageing > 0 ? floor(waited / d->policy->ageing) : 0);
}

static bool before(const Plan *d, size_t a, size_t b) {
    const ScheduleJob *x = &d->jobs[a], *y = &d->jobs[b];
    double u = urgency(d, x), v = urgency(d, y);
    if (u != v) return u > v;
    if (x->turn != y->turn) return x->turn < y->turn;
    return x->arrival != y->arrival ? x->arrival < y->arrival : a < b;
}

/* Sift the job at `root` down the heap of the first n: the least urgent on top. */
static void sift(const Plan *d, size_t root, size_t n) {
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && before(d, d->order[child], d->order[child + 1])) child++;
        if (!before(d, d->order[root], d->order[child])) return;
        size_t swap = d->order[root];
        d->order[root] = d->order[child], d->order[child] = swap;
    }
}

static void sort_by_urgency(const Plan *d) {
    for (size_t i = 0; i < d->n; i++) d->order[i] = i;
    for (size_t i = d->n / 2; i-- > 0;) sift(d, i, d->n);
    for (size_t end = d->n; end-- > 1;) {
        size_t swap = d->order[0];
        d->order[0] = d->order[end], d->order[end] = swap;
        sift(d, 0, end);
    }
    for (size_t i = 0; i < d->n; i++) d->plan[d->order[i]].rank = i;
}

/* ------------------------------------------------------------------ pages */

static size_t pages_of(const ScheduleMemory *m, size_t tokens) {
    return (tokens + m->page_tokens - 1) / m->page_tokens;
}

static bool runs(const Plan *d, size_t i) {
    const SchedulePlan *p = &d->plan[i];
    return (d->jobs[i].running || p->admit) && !p->drop && !p->preempt;
}

/* Tokens in memory after the plan so far. */
static size_t will_have(const Plan *d, size_t i) {
    const ScheduleJob *j = &d->jobs[i];
    return j->read + (d->plan[i].tokens && !j->running ? j->cached : 0) + d->plan[i].tokens;
}

static void preempt(Plan *d, size_t i) {
    d->plan[i].preempt = d->preempted = true;
    d->free += pages_of(d->memory, d->jobs[i].read);
    d->running--;
}

/* The least urgent job after `i` that holds pages and is not in this step yet; n: none. */
static size_t victim(const Plan *d, size_t i) {
    for (size_t k = d->n; k-- > d->plan[i].rank + 1;) {
        size_t j = d->order[k];
        if (runs(d, j) && d->jobs[j].read && !d->plan[j].tokens) return j;
    }
    return d->n;
}

/* How many tokens beyond `have` fit into the free pages and its last one. */
static size_t room_behind(const Plan *d, size_t have) {
    const ScheduleMemory *m = d->memory;
    return (pages_of(m, have) + d->free) * m->page_tokens - have;
}

/* Let a job without tokens in this step read up to `tokens`, as budget and pages allow; it
 * preempts for its first one.  Pages of a cached prefix count as taken, as they cannot be
 * evicted then. */
static void read_tokens(Plan *d, size_t i, size_t tokens) {
    const ScheduleJob *j = &d->jobs[i];
    size_t cached = j->running ? 0 : j->cached, least = cached + 1, room;
    if (tokens > d->budget) tokens = d->budget;
    if (tokens == 0) return;
    while ((room = room_behind(d, j->read)) < least) {
        size_t v = victim(d, i);
        if (v == d->n) return;
        preempt(d, v);
    }
    if (tokens > room - cached) tokens = room - cached;
    d->plan[i].tokens = tokens, d->budget -= tokens;
    d->free -= pages_of(d->memory, will_have(d, i)) - pages_of(d->memory, j->read);
}

/* ------------------------------------------------------------------ the rules */

static void drop_what_is_over(Plan *d) {
    for (size_t i = 0; i < d->n; i++) {
        const ScheduleJob *j = &d->jobs[i];
        d->plan[i].drop = j->cancelled || (j->deadline > 0 && j->deadline <= d->now);
        if (d->plan[i].drop && j->running) d->free += pages_of(d->memory, j->read);
        d->running += runs(d, i);
    }
}

static size_t missing(const Plan *d, size_t i) {
    const ScheduleJob *j = &d->jobs[i];
    return j->tokens - (j->running ? j->read : j->cached);
}

static bool is_writing(const Plan *d, size_t i) {
    return d->jobs[i].running && d->jobs[i].tokens - d->jobs[i].read == 1;
}

static void serve_answers(Plan *d) {
    for (size_t k = 0; k < d->n; k++) {
        size_t i = d->order[k];
        if (runs(d, i) && is_writing(d, i)) read_tokens(d, i, 1);
    }
}

/* Round robin: the prompt that read longest ago comes first. */
static bool turn_before(const Plan *d, size_t a, size_t b) {
    uint64_t x = d->jobs[a].served, y = d->jobs[b].served;
    return x != y ? x < y : d->plan[a].rank < d->plan[b].rank;
}

/* The running prompt after `last` in the round robin, the first one if that is n; n: none. */
static size_t next_prompt(const Plan *d, size_t last) {
    size_t best = d->n;
    for (size_t i = 0; i < d->n; i++) {
        if (!runs(d, i) || is_writing(d, i)) continue;
        if (last < d->n && !turn_before(d, last, i)) continue;
        if (best == d->n || turn_before(d, i, best)) best = i;
    }
    return best;
}

static size_t chunk_of(const Plan *d, size_t i) {
    size_t all = missing(d, i), chunk = d->policy->chunk;
    return chunk && chunk < all && d->running > 1 ? chunk : all;
}

/* Is a waiting job kept out by a running one of lower priority? */
static bool may_join(const Plan *d) {
    for (size_t i = 0; i < d->n; i++)
        if (!d->jobs[i].running && !d->plan[i].drop) return d->running < d->policy->running;
    return false;
}

static StepSize planned(const Plan *d) {
    StepSize size = {0};
    for (size_t i = 0; i < d->n; i++) {
        double seen = (double)d->jobs[i].read + 1;
        if (d->plan[i].tokens) size.tokens++, size.rows++, size.past += seen, size.seen += seen;
    }
    return size;
}

/* The most tokens of a prompt behind `read` others, within the budget, so that the step
 * takes at most so long. */
static size_t tokens_within(const Plan *d, StepSize step, double read, double seconds) {
    size_t n = 0;
    for (step.past += read; n < d->budget; n++) {
        step.tokens++, step.past++, step.seen += read + (double)n + 1;
        if (step_cost_seconds(d->policy->cost, step) > seconds) break;
    }
    return n;
}

/* Prompt tokens in a step with answers: as many as make it `stretch` times as long; running
 * prompts leave some of them for a new one. */
static void spare_answers(Plan *d) {
    const SchedulePolicy *policy = d->policy;
    const size_t prompt = next_prompt(d, d->n);
    const StepSize answers = planned(d);
    if (policy->stretch == 0 || !policy->cost || answers.tokens == 0) return;
    double most =
               fmax(policy->stretch * step_cost_seconds(policy->cost, answers), policy->pace),
           read = prompt < d->n ? (double)d->jobs[prompt].read : 0;
    size_t tokens = tokens_within(d, answers, read, most);
    if (tokens == d->budget) return;
    d->join = prompt < d->n && may_join(d) ? SCHEDULE_LEAST : 0;
    d->budget = min_size(d->budget, max_size(SCHEDULE_LEAST + d->join, tokens));
}

static void serve_prompts(Plan *d) {
    for (size_t i = next_prompt(d, d->n); i < d->n && d->budget > d->join;
         i = next_prompt(d, i))
        read_tokens(d, i, min_size(chunk_of(d, i), d->budget - d->join));
}

/* Is there memory for its whole text, one more token, and a page for each running job? */
static bool has_pages(const Plan *d, size_t i) {
    return pages_of(d->memory, d->jobs[i].tokens + 1) + d->running <= d->free ||
           d->running == 0;
}

/* Admit in the order of urgency, while slots and tokens last; no job overtakes one that
 * lacks pages.  No admission after a preemption or beside a running static batch, which is
 * filled and prefilled first. */
static void admit(Plan *d) {
    if (d->preempted || (d->policy->static_batch && d->running)) return;
    for (size_t k = 0; k < d->n && d->running < d->policy->running; k++) {
        if (!d->budget && !d->policy->static_batch) return;
        size_t i = d->order[k];
        if (d->jobs[i].running || d->plan[i].drop) continue;
        if (!has_pages(d, i)) return;
        d->plan[i].admit = true, d->running++;
        read_tokens(d, i, chunk_of(d, i));
    }
}

/* A waiting job takes the slot of one that was submitted with a lower priority. */
static void make_way(Plan *d) {
    size_t first = 0, last = d->n;
    while (first < d->n && (d->jobs[d->order[first]].running || d->plan[d->order[first]].drop))
        first++;
    while (last-- > 0 && !runs(d, d->order[last])) continue;
    if (first == d->n || last >= d->n || last < first) return;
    size_t comes = d->order[first], goes = d->order[last];
    if (d->jobs[comes].priority <= d->jobs[goes].priority) return;
    if (d->running < d->policy->running && has_pages(d, comes)) return;
    preempt(d, goes);
    d->preempted = false; /* the slot belongs to the waiting job */
}

/* ------------------------------------------------------------------ for callers */

bool schedule_accepts(const SchedulePolicy *policy, const ScheduleMemory *memory,
                      size_t waiting, size_t tokens, Fault *fault) {
    if (waiting >= policy->waiting)
        return fault_set(fault, "the queue is full: %zu texts are waiting; try again later",
                         waiting);
    if (pages_of(memory, tokens + 1) > memory->pages)
        return fault_set(fault, "the text has %zu tokens, the whole KV cache %zu: shorten it",
                         tokens, memory->pages * memory->page_tokens);
    return true;
}

/* Start-time fair queueing. */
size_t schedule_round(size_t round, uint64_t user, uint64_t other, size_t round_of_other) {
    return user && user == other ? max_size(round, round_of_other + 1) : round;
}

void schedule_plan(const SchedulePolicy *policy, const ScheduleMemory *memory,
                   const ScheduleJob *jobs, size_t n, double now, SchedulePlan *plan,
                   size_t *order) {
    Plan d = {.policy = policy,
              .memory = memory,
              .jobs = jobs,
              .n = n,
              .now = now,
              .plan = plan,
              .order = order,
              .budget = policy->budget,
              .free = memory->free};
    for (size_t i = 0; i < n; i++) plan[i] = (SchedulePlan){0};
    drop_what_is_over(&d);
    sort_by_urgency(&d);
    const bool prompts_first = policy->prompts_first || policy->static_batch;
    if (!policy->static_batch) make_way(&d);
    if (prompts_first) serve_prompts(&d), admit(&d);
    serve_answers(&d);
    if (!prompts_first) spare_answers(&d), serve_prompts(&d), admit(&d);
}
