/* simulate.c - see simulate.h. */
#include "simulate.h"

#include <stdlib.h>

/* A waiting or running request. */
typedef struct Live {
    size_t visit, answered;
    size_t tokens, read, round;
    uint64_t served;
    double last;           /* time of its last token */
    bool running, chooses; /* its prompt is complete in this step */
} Live;

typedef struct Machine {
    const SimulatedMachine *config;
    const Traffic *traffic;
    Simulation *result;
    Live *live; /* (room) */
    ScheduleJob *jobs;
    SchedulePlan *plan;
    size_t *order;
    size_t room, count, next, stride, round;
    double now;
    StepSize last; /* tokens that the last step evaluated */
    bool warm;     /* the shared prefix is in memory */
} Machine;

/* ------------------------------------------------------------------ pages */

static size_t simulate_pages_of(const Machine *m, size_t tokens) {
    return (tokens + m->config->page_tokens - 1) / m->config->page_tokens;
}

/* Cached tokens of a prompt; its last one is always evaluated, for its logits. */
static size_t cached_of(const Machine *m, const Live *l) {
    const SimulatedMachine *c = m->config;
    size_t shared = c->shares && m->warm ? c->shared : 0;
    return min_size(shared, l->tokens - 1);
}

/* The shared prefix is stored once. */
static size_t used_pages(const Machine *m) {
    const SimulatedMachine *c = m->config;
    size_t once = c->shares && m->warm ? c->shared / c->page_tokens : 0, used = once;
    for (size_t i = 0; i < m->count; i++) {
        size_t pages = simulate_pages_of(m, m->live[i].read);
        used += pages > once ? pages - once : 0;
    }
    return used;
}

/* ------------------------------------------------------------------ a step */

/* User for fair queueing; 0: none. */
static uint32_t user_of(const Machine *m, const Live *l) {
    return m->config->by_turns ? m->traffic->visits[l->visit].user : 0;
}

static void simulate_join(Machine *m, Live l) {
    l.round = m->round;
    for (size_t i = 0; i < m->count; i++) {
        const Live *other = &m->live[i];
        l.round = schedule_round(l.round, user_of(m, &l), user_of(m, other), other->round);
    }
    m->live[m->count++] = l;
}

static void arrive(Machine *m) {
    const SimulatedMachine *c = m->config;
    const ScheduleMemory all = {c->page_tokens, c->pages, c->pages};
    for (; m->next < m->traffic->count; m->next += m->stride) {
        const Visit *v = &m->traffic->visits[m->next];
        size_t waiting = 0, prompt = v->prompt + c->shared;
        Fault fault;
        if (v->arrival > m->now) return;
        for (size_t i = 0; i < m->count; i++) waiting += !m->live[i].running;
        if (m->count == m->room ||
            !schedule_accepts(&c->policy, &all, waiting, prompt + v->answer, &fault))
            m->result->refused++;
        else
            simulate_join(m, (Live){.visit = m->next, .tokens = prompt});
    }
}

static void make_plan(Machine *m) {
    const SimulatedMachine *c = m->config;
    size_t used = used_pages(m);
    const ScheduleMemory memory = {c->page_tokens, c->pages,
                                   used < c->pages ? c->pages - used : 0};
    for (size_t i = 0; i < m->count; i++) {
        const Live *l = &m->live[i];
        const Visit *v = &m->traffic->visits[l->visit];
        m->jobs[i] = (ScheduleJob){.priority = c->by_priority ? v->priority : 0,
                                   .arrival = v->arrival,
                                   .tokens = l->tokens,
                                   .read = l->read,
                                   .cached = l->running ? 0 : cached_of(m, l),
                                   .turn = l->round > m->round ? l->round - m->round : 0,
                                   .served = l->served,
                                   .running = l->running};
    }
    schedule_plan(&c->policy, &memory, m->jobs, m->count, m->now, m->plan, m->order);
    if (used > m->result->most_pages) m->result->most_pages = used;
}

static void simulate_read_tokens(Machine *m, Live *l, const SchedulePlan *p, size_t cached,
                                 StepSize *size) {
    if (p->preempt) l->running = false, l->read = 0, m->result->preempted++;
    if (p->admit) l->running = true, l->read = cached, m->round = max_size(m->round, l->round);
    l->chooses = false;
    if (!p->tokens) return;
    size->tokens += (double)p->tokens;
    size->seen += (double)p->tokens * ((double)l->read + (double)(p->tokens + 1) / 2);
    size->past += (double)(l->read + p->tokens);
    l->read += p->tokens, l->served = m->result->steps;
    l->chooses = l->read == l->tokens;
    size->rows += l->chooses;
}

static void simulate_choose(Machine *m, Live *l) {
    const Visit *v = &m->traffic->visits[l->visit];
    Waits *w = &m->result->waits[v->user != 0];
    if (l->answered++ == 0)
        w->firsts[w->firsts_count++] = m->now - v->arrival;
    else
        w->gaps[w->gaps_count++] = m->now - l->last;
    l->last = m->now, l->tokens++, m->result->tokens++;
    m->warm = true;
}

/* False: there was nothing to do. */
static bool simulate_step(Machine *m) {
    StepSize size = {.before = step_before(m->last)};
    size_t left = 0;
    make_plan(m);
    m->result->steps++;
    for (size_t i = 0; i < m->count; i++)
        simulate_read_tokens(m, &m->live[i], &m->plan[i], m->jobs[i].cached, &size);
    double seconds = step_group_seconds(m->config->group, &m->config->cost, size);
    m->now += seconds, m->result->busy += seconds, m->last = size;
    for (size_t i = 0; i < m->count; i++) {
        Live *l = &m->live[i];
        if (l->chooses) simulate_choose(m, l);
        if (l->answered == m->traffic->visits[l->visit].answer)
            m->result->served++;
        else
            m->live[left++] = *l;
    }
    m->count = left;
    return size.tokens > 0;
}

/* ------------------------------------------------------------------ the run */

/* Room for the results of these visits. */
static bool simulate_grow(Waits *w, const Traffic *t, bool several, size_t first, size_t stride,
                          Fault *fault) {
    size_t firsts = w->firsts_count, gaps = w->gaps_count;
    for (size_t i = first; i < t->count; i += stride)
        if ((t->visits[i].user != 0) == several) firsts++, gaps += t->visits[i].answer;
    double *f = realloc(w->firsts, (firsts + 1) * sizeof *f);
    if (f) w->firsts = f;
    double *g = realloc(w->gaps, (gaps + 1) * sizeof *g);
    if (g) w->gaps = g;
    return (f && g) || fault_set(fault, "no memory for the times of %zu tokens", gaps);
}

static bool serve_all(Machine *m, Fault *fault) {
    size_t idle = 0; /* steps without a token: a preemption may cost one */
    while (m->count || m->next < m->traffic->count) {
        if (m->count == 0) { /* no requests: sleep until the next arrival */
            double at = m->traffic->visits[m->next].arrival;
            if (at > m->now) m->now = at;
        }
        arrive(m);
        idle = m->count && !simulate_step(m) ? idle + 1 : 0;
        if (idle > m->room)
            return fault_set(fault, "no request could advance: the budget is %zu tokens",
                             m->config->policy.budget);
    }
    if (m->now > m->result->end) m->result->end = m->now;
    return true;
}

bool simulate(const SimulatedMachine *config, const Traffic *traffic, size_t first,
              size_t stride, Simulation *result, Fault *fault) {
    Machine m = {.config = config,
                 .traffic = traffic,
                 .result = result,
                 .room = config->policy.running + config->policy.waiting,
                 .next = first,
                 .stride = stride};
    m.live = calloc(m.room, sizeof *m.live);
    m.jobs = calloc(m.room, sizeof *m.jobs);
    m.plan = calloc(m.room, sizeof *m.plan);
    m.order = calloc(m.room, sizeof *m.order);
    bool ok = (m.live && m.jobs && m.plan && m.order) ||
              fault_set(fault, "no memory for %zu requests", m.room);
    for (int several = 0; ok && several < 2; several++)
        ok = simulate_grow(&result->waits[several], traffic, several, first, stride, fault);
    ok = ok && serve_all(&m, fault);
    free(m.live), free(m.jobs), free(m.plan), free(m.order);
    return ok;
}

void simulation_free(Simulation *r) {
    for (int i = 0; i < 2; i++) free(r->waits[i].firsts), free(r->waits[i].gaps);
    *r = (Simulation){0};
}
