/* simulate.h - a service without a model: the real scheduler, computed time.
 *
 *     visits --> schedule_plan --> step_group_seconds --> the clock advances
 *
 * Nothing here decides anything: the plan is the service's own, so a change of the schedule can
 * be tried with a day of traffic.
 *
 * Invariant: the same machine and visits give the same result
 * [the_same_traffic_is_served_alike]. */
#ifndef STRATA_SIMULATE_H
#define STRATA_SIMULATE_H

#include "schedule.h"
#include "step_group.h"
#include "traffic.h"

typedef struct SimulatedMachine {
    SchedulePolicy policy;
    StepCost cost;          /* on one machine */
    const StepGroup *group; /* that together serve as one; NULL: a machine */
    size_t page_tokens, pages;
    size_t shared;    /* shared prefix of all prompts, in tokens */
    bool shares;      /* evaluated and stored once */
    bool by_priority; /* use priorities */
    bool by_turns;    /* users take turns; else each request counts for itself */
} SimulatedMachine;

typedef struct Waits {
    double *firsts; /* (firsts_count) seconds from arrival to the first token; owns */
    double *gaps;   /* (gaps_count) seconds between tokens of an answer; owns */
    size_t firsts_count, gaps_count;
} Waits;

typedef struct Simulation {
    Waits waits[2];   /* of users 0, who send one request; of the others */
    double end, busy; /* time of the last token; seconds spent in steps */
    size_t tokens, steps, served, refused, preempted, most_pages;
} Simulation;

/* Serve visits first, first + stride, ... on one machine, and add the results.
 *
 * Fails without memory. */
bool simulate(const SimulatedMachine *machine, const Traffic *traffic, size_t first,
              size_t stride, Simulation *result, Fault *fault);

void simulation_free(Simulation *result);

#endif
