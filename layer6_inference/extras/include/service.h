/* service.h - many users: their requests wait, run and end.
 *
 *     submit --> waiting --admit--> running --> over: it ended, was cancelled, was too late, failed
 *                   ^                  |
 *                   '-----preempt------'        the schedule decides (schedule.h), the engine does it
 *
 *     Service service;
 *     service_open(&service, &session, policy, &fault);
 *     service_submit(&service, &request, &fault);
 *     while (service.count) service_step(&service, &fault);
 *
 * One thread owns a service.
 *
 * Invariant: the text of a request depends on its prompt, chain and seed alone: not on who else is
 * served, whether it was preempted, or what its prompt shares.  To the bit. */
#ifndef STRATA_SERVICE_H
#define STRATA_SERVICE_H

#include "engine.h"
#include "schedule.h"

typedef enum RequestState { REQUEST_WAITING, REQUEST_RUNNING, REQUEST_OVER } RequestState;

typedef enum RequestEnd {
    REQUEST_ENDED,     /* result.reason says why */
    REQUEST_CANCELLED, /* by whoever sent it */
    REQUEST_LATE,      /* its deadline was over */
    REQUEST_FAILED     /* with a fault */
} RequestEnd;

typedef struct ServiceRequest {
    /* What is asked for; what it points to stays until the request is over. */
    TokenList *tokens; /* the prompt; the answer is appended */
    GenerateOptions options;
    int priority; /* the larger, the more urgent */
    /* whose requests take turns with those of others; 0: somebody's who sends no other */
    uint64_t user;
    double deadline; /* seconds, by the clock of the service; 0: none */
    /* of the same prompt, as with n > 1: this one begins when that has read it, and shares it; or NULL */
    const struct ServiceRequest *after;
    bool cancelled; /* set it between two steps */

    /* What became of it. */
    RequestState state;
    RequestEnd end;
    double arrival, started, first, finished; /* seconds; first: its first token */
    size_t cached;                            /* tokens of the prompt that were there */
    size_t preemptions;
    GenerateResult result;
    Fault fault;
    bool dead_end;      /* it failed because its chain left no token */
    Sequence *sequence; /* of the engine, while it runs or was preempted */
    uint64_t served;
    size_t round; /* in which it is its user's turn */
} ServiceRequest;

typedef struct ServiceCounts {
    size_t steps, refused, ended, cancelled, late, failed, preempted;
    size_t prompt_tokens, cached_tokens, tokens;
} ServiceCounts;

typedef struct Service {
    Engine engine;
    SchedulePolicy policy;
    ServiceRequest **requests; /* (count) that wait or run; owns the list */
    size_t count, waiting;
    size_t round;          /* the last one of which somebody came in */
    double (*clock)(void); /* seconds: clock_seconds, unless a test has another */
    /* does nobody wait for a request any more?  Asked before each step, and in it before each layer; NULL: no */
    bool (*is_gone)(void *context, const ServiceRequest *request);
    void *context;
    ServiceRequest **eligible; /* (planned) those that the step is planned for */
    ScheduleJob *jobs;         /* (planned) */
    SchedulePlan *plan;        /* (planned) */
    size_t *order;             /* (planned) */
    size_t planned;
    StepSize last; /* what the last step read */
    StepLog steps; /* what the last ones took, */
    StepCost cost; /* and what the next ones will: for the policy, where that has a stretch */
    ServiceCounts counts;
} Service;

/* A service on a session, whose sequences are the places of those that run; cfg takes two.
 *
 * Fails when memory runs out; service_close may be called then, too. */
bool service_open(Service *service, Session *session, SchedulePolicy policy, Fault *fault);
void service_close(Service *service);

/* A request joins the queue.
 *
 * Fails when the queue is full, or the prompt is empty or larger than context or memory. */
bool service_submit(Service *service, ServiceRequest *request, Fault *fault);

/* One step.  Requests that are over by then have left the service.  When most of the tokens that are being read
 * are of requests that are gone, the step is given up between two layers; the others read theirs in the next one.
 *
 * Fails when the engine does (engine.h). */
bool service_step(Service *service, Fault *fault);

#endif
