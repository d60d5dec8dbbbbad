/* service.c - see service.h. */
#include "service.h"

#include "generate.h"
#include "long_text.h"
#include "prefix.h"
#include "engine/take.h"

#include <stdlib.h>

static bool service_is_over(const Service *s, const ServiceRequest *r) {
    return r->cancelled || (s->is_gone && s->is_gone(s->context, r));
}

/* A Session's is_wanted: do live requests want at least half of the planned tokens? */
static bool service_is_wanted(void *context) {
    const Service *s = context;
    size_t all = 0, gone = 0;
    for (size_t i = 0; i < s->planned; i++) {
        size_t n = s->plan[i].tokens;
        all += n;
        if (n && service_is_over(s, s->eligible[i])) gone += n;
    }
    return 2 * gone <= all;
}

bool service_open(Service *s, Session *session, SchedulePolicy policy, Fault *fault) {
    const size_t room = policy.running + policy.waiting;
    *s = (Service){.policy = policy, .clock = clock_seconds};
    s->requests = calloc(room, sizeof(ServiceRequest *));
    s->eligible = calloc(room, sizeof(ServiceRequest *));
    s->jobs = calloc(room, sizeof *s->jobs);
    s->plan = calloc(room, sizeof *s->plan);
    s->order = calloc(room, sizeof *s->order);
    if (!s->requests || !s->eligible || !s->jobs || !s->plan || !s->order)
        return fault_set(fault, "no memory for %zu requests", room);
    session->is_wanted = service_is_wanted, session->context = s;
    return engine_open_room(&s->engine, session, room, fault);
}

void service_close(Service *s) {
    Session *session = s->engine.runners[0].session;
    if (session) session->is_wanted = NULL;
    engine_close(&s->engine);
    free(s->requests), free(s->eligible), free(s->jobs), free(s->plan), free(s->order);
    *s = (Service){0};
}

/* ------------------------------------------------------------------ submit */

/* The schedule counts the pages of all layers together. */
static ScheduleMemory service_memory_of(const KvCache *kv) {
    size_t layers = 0;
    for (size_t l = 0; l < kv->config.layers; l++) layers += kv->shape[l].kv_heads > 0;
    if (layers == 0) return (ScheduleMemory){KV_PAGE, SIZE_MAX / KV_PAGE, SIZE_MAX / KV_PAGE};
    return (ScheduleMemory){KV_PAGE, kv->pages.count / layers, prefix_free_pages(kv) / layers};
}

static size_t service_round_of(const Service *s, const ServiceRequest *r) {
    size_t round = s->round;
    for (size_t i = 0; i < s->count; i++)
        round = schedule_round(round, r->user, s->requests[i]->user, s->requests[i]->round);
    return round;
}

bool service_submit(Service *s, ServiceRequest *r, Fault *fault) {
    const Session *session = s->engine.runners[0].session;
    const ScheduleMemory memory = service_memory_of(&session->kv);
    if (!generate_check_prompt(session, r->tokens, is_long_text(&r->options), fault) ||
        !schedule_accepts(&s->policy, &memory, s->waiting,
                          min_size(r->tokens->count, session_ctx(session) - 1), fault))
        return s->counts.refused++, false;
    r->state = REQUEST_WAITING, r->arrival = s->clock(), r->sequence = NULL,
    r->cancelled = false, r->round = service_round_of(s, r);
    s->requests[s->count++] = r, s->waiting++;
    return true;
}

/* ------------------------------------------------------------------ finish */

static void leave(Service *s, ServiceRequest *r, RequestEnd end, double now) {
    size_t *counts[] = {&s->counts.ended, &s->counts.cancelled, &s->counts.late,
                        &s->counts.failed};
    s->waiting -= r->state == REQUEST_WAITING;
    if (r->sequence) {
        r->result = r->sequence->result;
        if (r->sequence->failed)
            r->fault = r->sequence->fault, r->dead_end = r->sequence->dead_end;
        engine_remove(&s->engine, r->sequence);
        s->counts.tokens += r->result.tokens;
    }
    r->sequence = NULL, r->state = REQUEST_OVER, r->end = end, r->finished = now;
    ++*counts[end];
}

static void forget_those_over(Service *s) {
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->requests[i]->state != REQUEST_OVER) s->requests[left++] = s->requests[i];
    s->count = left;
}

/* ------------------------------------------------------------------ one step */

static size_t read_by(const ServiceRequest *r) {
    const Slot *text = r->sequence ? &r->sequence->slot[TEXT_SLOT] : NULL;
    return text && r->state == REQUEST_RUNNING ? session_length(text->session, text->id) : 0;
}

/* Tokens of its text that are or should be in memory; at most the context if it shifts. */
static size_t tokens_of(const Service *s, const ServiceRequest *r) {
    size_t ctx = session_ctx(s->engine.runners[0].session), n = r->tokens->count;
    if (r->state == REQUEST_RUNNING) n -= r->sequence->slot[TEXT_SLOT].dropped;
    return is_long_text(&r->options) ? min_size(n, ctx) : n;
}

/* The request that it comes after is about to evaluate its prompt. */
static bool is_early(const ServiceRequest *r) {
    const ServiceRequest *a = r->after;
    return a && r->state == REQUEST_WAITING && a->state != REQUEST_OVER &&
           a->result.tokens == 0 && a->first == 0;
}

static ScheduleJob job_of(const Service *s, const ServiceRequest *r) {
    return (ScheduleJob){.priority = r->priority,
                         .arrival = r->arrival,
                         .deadline = r->deadline,
                         .tokens = tokens_of(s, r),
                         .read = read_by(r),
                         .turn = r->round > s->round ? r->round - s->round : 0,
                         .served = r->served,
                         .running = r->state == REQUEST_RUNNING,
                         .cancelled = service_is_over(s, r)};
}

static void list_jobs(Service *s) {
    s->planned = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (is_early(s->requests[i]) && !service_is_over(s, s->requests[i])) continue;
        s->jobs[s->planned] = job_of(s, s->requests[i]);
        s->eligible[s->planned++] = s->requests[i];
    }
}

static void pause(Service *s, ServiceRequest *r) {
    engine_pause(&s->engine, r->sequence);
    r->state = REQUEST_WAITING, r->preemptions++;
    s->waiting++, s->counts.preempted++;
}

/* Start, or resume after a preemption.  False: no slot, it keeps waiting. */
static bool start(Service *s, ServiceRequest *r, double now) {
    if (!engine_has_room(&s->engine, &r->options)) return false;
    if (!r->sequence) {
        r->sequence = engine_add(&s->engine, r->tokens, &r->options, &r->fault);
        if (!r->sequence) return leave(s, r, REQUEST_FAILED, now), false;
        r->started = now, r->cached = r->sequence->cached;
        s->counts.cached_tokens += r->cached;
        s->counts.prompt_tokens += r->tokens->count;
    } else {
        engine_resume(&s->engine, r->sequence); /* it takes its slots before others do */
    }
    r->state = REQUEST_RUNNING, s->waiting--;
    s->round = max_size(s->round, r->round);
    return true;
}

static void obey(Service *s, ServiceRequest *r, const ScheduleJob *job,
                 const SchedulePlan *plan, double now) {
    if (plan->drop) {
        leave(s, r, job->cancelled ? REQUEST_CANCELLED : REQUEST_LATE, now);
        return;
    }
    if (plan->preempt) pause(s, r);
    if (plan->admit && !start(s, r, now)) return;
    if (r->state != REQUEST_RUNNING) return;
    bool writes = job->running && job->tokens - job->read <=
                                      1; /* a draft is longer: the engine finds room for it */
    r->sequence->quota = writes ? 0 : plan->tokens;
    r->sequence->paused = plan->tokens == 0;
    r->sequence->rank = plan->rank;
    if (plan->tokens) r->served = s->counts.steps;
}

static void note(Service *s, ServiceRequest *r, double now) {
    const Sequence *q = r->sequence;
    if (r->state != REQUEST_RUNNING) return;
    if (r->first == 0 && q->result.tokens) r->first = now;
    if (!q->live) leave(s, r, q->failed ? REQUEST_FAILED : REQUEST_ENDED, now);
}

static StepSize size_of_step(const Service *s) {
    const ModelRunner *runner = &s->engine.runners[0];
    StepSize size = {.tokens = (double)runner->count,
                     .rows = (double)runner->rows,
                     .before = step_before(s->last)};
    for (size_t i = 0; i < runner->count; i++) {
        bool last = i + 1 == runner->count || runner->sequence[i + 1] != runner->sequence[i];
        size.seen += runner->position[i] + 1, size.past += last ? runner->position[i] + 1 : 0;
    }
    return size;
}

/* Record how long the step took. */
static void log_step(Service *s, double seconds) {
    enum { EVERY = 8 }; /* steps between two fits of the costs */
    step_log_add(&s->steps, s->last, seconds);
    if (s->counts.steps % EVERY == 0)
        s->policy.cost = step_log_cost(&s->steps, &s->cost) ? &s->cost : NULL;
}

bool service_step(Service *s, Fault *fault) {
    const double now = s->clock();
    const ScheduleMemory memory = service_memory_of(&s->engine.runners[0].session->kv);
    list_jobs(s);
    schedule_plan(&s->policy, &memory, s->jobs, s->planned, now, s->plan, s->order);
    s->counts.steps++;
    for (int pass = 0; pass < 2; pass++) /* finished requests make room for new ones */
        for (size_t i = 0; i < s->planned; i++)
            if (s->plan[i].admit == (pass == 1))
                obey(s, s->eligible[i], &s->jobs[i], &s->plan[i], now);
    const double before = s->clock();
    bool read = engine_step(&s->engine, fault);
    if (!read && !s->engine.runners[0].session->stopped) return false;
    if (read) s->last = size_of_step(s);
    if (read && s->policy.stretch > 0) log_step(s, s->clock() - before);
    for (size_t i = 0; i < s->count; i++) note(s, s->requests[i], s->clock());
    forget_those_over(s);
    return true;
}
