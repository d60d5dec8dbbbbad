/* simulate.h - a service without a model: the plan is the real one, time is computed.
 *
 *     visits --> schedule_plan (schedule.h) --> step_cost_seconds (step_cost.h) --> the clock moves on
 *
 * Nothing here decides anything: who reads what is what the service would do, so a change of the
 * schedule can be tried with a day of traffic before anybody waits for it.
 *
 * Invariant: the same machine and visits give the same result. */
#ifndef STRATA_SIMULATE_H
#define STRATA_SIMULATE_H

#include "schedule.h"
#include "step_cost.h"
#include "traffic.h"

typedef struct SimulatedMachine {
    SchedulePolicy policy;
    StepCost cost;
    size_t page_tokens, pages;
    size_t shared;    /* tokens that all prompts begin with */
    bool shares;      /* and that are read once, and stored once */
    bool by_priority; /* else everybody is as urgent as everybody */
    bool by_turns;    /* users take turns; else a request is a request, whoever sent it */
} SimulatedMachine;

typedef struct Waits {
    double *firsts; /* (firsts_count) seconds from arrival to the first token; owns */
    double *gaps;   /* (gaps_count) between two tokens of an answer; owns */
    size_t firsts_count, gaps_count;
} Waits;

typedef struct Simulation {
    Waits waits[2];   /* of users 0, who send one request; of those who send several */
    double end, busy; /* when the last one was served; seconds spent in steps */
    size_t tokens, steps, served, refused, preempted, most_pages;
} Simulation;

/* Serve visits first, first + stride, ... on one machine, and add what became of them.
 *
 * Fails when memory runs out. */
bool simulate(const SimulatedMachine *machine, const Traffic *traffic, size_t first,
              size_t stride, Simulation *result, Fault *fault);

void simulation_free(Simulation *result);

#endif
