/* simulate_rows.h - strata simulate's table: one row per number of users and policy. */
#ifndef STRATA_SIMULATE_ROWS_H
#define STRATA_SIMULATE_ROWS_H

#include "simulate_group.h"
#include "traffic.h"

enum { SIMULATE_POLICIES = 3 };

typedef struct SimulateJob {
    const char *costs, *trace, *save, *csv, *arrivals, *order;
    OptionList users, policies;
    double every, seconds, urgent, heavy, ageing, stretch, pace, first_goal, gap_goal, price;
    long prompt, heavy_prompt, answer, shared, places, waiting, pages, machines, burst, seed;
    bool alone, titled; /* the titles are printed */
    StepCost cost;      /* on one machine */
    GroupAsked together;
    SimulatedModel model;
    const char *split; /* the machines serve as one; NULL: each on its own */
    StepGroup group;
    FileOut table;
} SimulateJob;

/* The index of a policy; SIMULATE_POLICIES: unknown name. */
size_t simulate_policy(const char *name);

/* Simulate all requested policies on job->machines, and print their rows. */
bool simulate_rows(SimulateJob *job, const char *users, const Traffic *traffic, Fault *fault);

#endif
