/* step_group.h - how long a step takes on a group of machines that compute one model together
 * (machines_cost.h), from what it takes on one of them (step_cost.h).
 *
 * Invariant: on one machine it takes what it takes there; W of machines_cost.h is the step's
 * products, A its attention, and the rest the cost of its rows
 * [a_group_of_one_is_a_machine]. */
#ifndef STRATA_STEP_GROUP_H
#define STRATA_STEP_GROUP_H

#include "machines_cost.h"
#include "step_cost.h"

typedef struct StepGroup {
    MachinesCost cost;
    MachinesNetwork network;
} StepGroup;

/* Seconds of a step; group NULL: one machine. */
double step_group_seconds(const StepGroup *group, const StepCost *one, StepSize size);

/* The same as a StepCost, for a scheduler: exact for steps of some sizes without attention, and
 * lines between these.  What attention adds is that of a single token, for which machines with
 * layers work one after the other: too much for long prompts by layers, up to 1.6 times. */
StepCost step_group_cost(const StepGroup *group, const StepCost *one);

/* One machine that reads `bandwidth` bytes a second, and does `speed` multiplications and
 * additions a second.  A step takes as long as the slower of the two, plus attention: its keys
 * and values (two bytes a number), and its arithmetic.
 *
 * Source   Williams et al. 2009 (roofline). */
StepCost step_cost_of_machine(const MachinesCost *cost, double bandwidth, double speed);

#endif
