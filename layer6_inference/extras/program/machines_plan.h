/* machines_plan.h - what a model would cost on several machines: strata inspect --machines. */
#ifndef STRATA_MACHINES_PLAN_H
#define STRATA_MACHINES_PLAN_H

#include "fault.h"

#include <stdbool.h>

/* The options; 0 or NULL: not given. */
typedef struct MachinesPlan {
    long machines;
    const char *shares, *network; /* "3:2:2", "1Gb/s:100us" */
    const char *split;            /* "rows", "layers" */
    const char *wire;             /* "f32", "f16" */
    double bandwidth;             /* GB/s; 0: measured here */
} MachinesPlan;

/* Open the model, count a token's pass, and print what each machine has and what goes over the
 * wire; with a network the time of a token (machines_cost.h), on machines that read the weights
 * as fast as this one, or at the given bandwidth. */
bool print_machines_plan(const char *path, const MachinesPlan *plan, Fault *fault);

#endif
