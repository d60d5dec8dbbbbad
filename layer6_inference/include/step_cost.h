/* step_cost.h - how long a step takes, as a sum of four things:
 *
 *     seconds = step                 every weight is read once, whoever is there
 *             + token * tokens       each token is multiplied with all of them
 *             + row   * rows         each row of logits, and the choice from it
 *             + seen  * positions    each token looks at its past
 *
 * The four are measured: least squares over the steps of a service (strata bench serve --costs).
 *
 * Invariant: none is negative. */
#ifndef STRATA_STEP_COST_H
#define STRATA_STEP_COST_H

#include "models.h"

#include <stdio.h>

typedef struct StepCost {
    double step, token, row, seen; /* seconds */
} StepCost;

typedef struct StepSize {
    double tokens, rows, seen;
} StepSize;

double step_cost_seconds(const StepCost *cost, StepSize size);

/* The costs that err least, relative to what each of n steps should take, so that together they take what all of them took; a
 * step counts as twice its cost at most.  A term that would be negative is left out.
 *
 * Needs    n > 0, and seconds above 0.
 * Fails when memory is short. */
bool step_cost_fit(const StepSize *sizes, const double *seconds, size_t n, StepCost *cost,
                   Fault *fault);

/* As text: four lines, a name and a number each.
 *
 * Fails on what is not that. */
bool step_cost_read(StepCost *cost, Text text, Fault *fault);
void step_cost_write(const StepCost *cost, FILE *out);

#endif
