/* service.h - many users: requests wait, run and end.
 *
 *     submit --> waiting --admit--> running --> over: ended, cancelled, too late or failed
 *                   ^                  |
 *                   '-----preempt------'        schedule.h decides, the engine does it
 *
 *     Service service;
 *     service_open(&service, &session, policy, &fault);
 *     service_submit(&service, &request, &fault);
 *     while (service.count) service_step(&service, &fault);
 *
 * One thread owns a service.
 *
 * Invariant: the text of a request depends only on its prompt, chain and seed, to the bit:
 * not on other requests, preemptions or shared prefixes [others_change_nothing]. */
#ifndef STRATA_SERVICE_H
#define STRATA_SERVICE_H

#include "engine.h"
#include "schedule.h"

typedef enum RequestState { REQUEST_WAITING, REQUEST_RUNNING, REQUEST_OVER } RequestState;

typedef enum RequestEnd {
    REQUEST_ENDED,     /* result.reason says why */
    REQUEST_CANCELLED, /* by its client */
    REQUEST_LATE,      /* past its deadline */
    REQUEST_FAILED     /* with a fault */
} RequestEnd;

typedef struct ServiceRequest {
    /* The request; what it points to must live until it is over. */
    TokenList *tokens; /* the prompt; the answer is appended */
    GenerateOptions options;
    int priority; /* larger is more urgent */
    /* user id for fair queueing; 0: anonymous */
    uint64_t user;
    double deadline; /* seconds, by the service's clock; 0: none */
    /* request with the same prompt, as with n > 1: this one starts when that has evaluated
     * it; or NULL */
    const struct ServiceRequest *after;
    bool cancelled; /* set between two steps */

    /* The result. */
    RequestState state;
    RequestEnd end;
    double arrival, started, first, finished; /* seconds; first: the first token */
    size_t cached;                            /* cached tokens of the prompt */
    size_t preemptions;
    GenerateResult result;
    Fault fault;
    bool dead_end;      /* failed because its chain left no token */
    Sequence *sequence; /* of the engine, while it runs or is preempted */
    uint64_t served;
    size_t round; /* of its user's turn */
} ServiceRequest;

typedef struct ServiceCounts {
    size_t steps, refused, ended, cancelled, late, failed, preempted;
    size_t prompt_tokens, cached_tokens, tokens;
} ServiceCounts;

typedef struct Service {
    Engine engine;
    SchedulePolicy policy;
    ServiceRequest **requests; /* (count) waiting or running; owns the list */
    size_t count, waiting;
    size_t round;          /* round of the last admission */
    double (*clock)(void); /* seconds: clock_seconds, unless a test sets another */
    /* has the client of a request disconnected?  Asked before each step, and in it before
     * each layer; or NULL */
    bool (*is_gone)(void *context, const ServiceRequest *request);
    void *context;
    ServiceRequest **eligible; /* (planned) requests of the planned step */
    ScheduleJob *jobs;         /* (planned) */
    SchedulePlan *plan;        /* (planned) */
    size_t *order;             /* (planned) */
    size_t planned;
    StepSize last; /* tokens of the last step */
    StepLog steps; /* costs of recent steps, */
    StepCost cost; /* and of future ones, if the policy has a stretch */
    ServiceCounts counts;
} Service;

/* A service on a session, whose sequences are the slots; a request with cfg takes two.
 *
 * Fails without memory; call service_close even then. */
bool service_open(Service *service, Session *session, SchedulePolicy policy, Fault *fault);
void service_close(Service *service);

/* Add a request to the queue.
 *
 * Fails when the queue is full, or the prompt is empty or too large for the context or the
 * memory. */
bool service_submit(Service *service, ServiceRequest *request, Fault *fault);

/* One step.  Finished requests have left the service when it returns.  If most of the tokens
 * belong to cancelled requests, the step is abandoned between two layers, and the others are
 * evaluated in the next. */
bool service_step(Service *service, Fault *fault);

#endif
