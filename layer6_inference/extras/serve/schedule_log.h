/* schedule_log.h - the last steps of the scheduler, for GET /strata/schedule: who was admitted
 * or preempted in a step, and who read how many tokens.
 *
 *     {"page_tokens": 64, "budget": 512, "places": 8, "next": 1234,
 *      "steps": [{"step": 1233, "at": 12.5, "took": 0.004, "waiting": 1, "more": 0,
 *                 "jobs": [[answer, "prompt", tokens, found, pages, "in", written], ...]},
 *                ...]}
 *
 * In a step a job "waits", or its tokens are of its "prompt", of what it reads "again" after a
 * preemption, or of its "answer"; it is "held" when it runs but reads nothing.  It may come
 * "in", with `found` tokens in the prefix cache, be sent "out", or "end".
 *
 * Invariant: only the worker reads and writes the log; it has numbers, and no texts. */
#ifndef STRATA_SCHEDULE_LOG_H
#define STRATA_SCHEDULE_LOG_H

#include "service.h"

enum { LOGGED_STEPS = 1024, LOGGED_JOBS = 16 /* of a step; `more` counts the others */ };

typedef struct LoggedJob {
    uint64_t answer;
    const char *does, *mark;
    size_t tokens, found, pages, written;
} LoggedJob;

typedef struct LoggedStep {
    double at, took; /* seconds since the first */
    size_t waiting, jobs, more;
    LoggedJob job[LOGGED_JOBS];
} LoggedStep;

typedef struct ScheduleLog {
    LoggedStep *steps; /* (LOGGED_STEPS) step n is at n % LOGGED_STEPS; owns */
    size_t count;      /* steps so far */
    double begin;
} ScheduleLog;

bool schedule_log_open(ScheduleLog *log, Fault *fault);
void schedule_log_close(ScheduleLog *log);

/* Add the step that the service has just made, from `began` until now.  Before requests that
 * are over are freed. */
void schedule_log_add(ScheduleLog *log, const Service *service, double began);

#endif
