/* step_cost.h - how long a step takes: points that were measured, joined by straight lines, and what comes on top.
 *
 *     seconds = batch(tokens)           |              .·'    few tokens wait for the weights, which are read once for
 *                                       |          .·'        all; many for their products
 *                                       | .___.·'
 *                                       '-----------------
 *                                         1 2 4  8 ... 512
 *
 *             + after(before)       prompts of the steps before drove weights out of the caches, and they are fetched again
 *             + row  * rows         each row of logits, and the choice from it
 *             + past * positions    the keys and values of each text are fetched, once for all its tokens of the step
 *             + seen * pairs        each token looks at every position of its past
 *
 * One line for all sizes would be wrong where it matters most, at a few tokens: that is what who is being answered waits for.
 * All are measured: least squares over the steps of a service (strata bench serve --costs).
 *
 * Invariant: tokens rise from point to point; no cost is negative. */
#ifndef STRATA_STEP_COST_H
#define STRATA_STEP_COST_H

#include "models.h"

#include <stdio.h>

enum { COST_POINTS = 16 };

typedef struct StepCost {
    double tokens[COST_POINTS], batch[COST_POINTS]; /* (points) of a step; its seconds */
    double after[COST_POINTS]; /* (points) seconds more, behind so many tokens of prompts */
    size_t points;             /* two at least */
    double row, past, seen;    /* seconds for one */
} StepCost;

typedef struct StepSize {
    double tokens, rows, past, seen;
    double before; /* tokens of prompts that steps before it read: step_before */
} StepSize;

/* Below the first point a step takes as long as there; behind the last one the last line goes on, but nothing is
 * colder than after the most tokens. */
double step_cost_seconds(const StepCost *cost, StepSize size);

/* `before` of the step that comes behind this one: its own tokens of prompts, and an eighth of what it found itself; each
 * step fetches most of the weights back. */
double step_before(StepSize size);

/* The costs that err least, relative to what each of n steps should take, so that together they take what all of them took; a
 * step counts as twice its cost at most.  Of the steps of about 1, 2, 4, 8 ... tokens each has a point, in their middle, where
 * there are any.  A term that would be negative is left out.
 *
 * Needs    n > 0, sizes of a token at least, and seconds above 0.
 * Fails when all steps are of about one size. */
bool step_cost_fit(const StepSize *sizes, const double *seconds, size_t n, StepCost *cost,
                   Fault *fault);

/* The last steps of a service, some of each kind: without prompts, where every token has a row, and with them. */
enum { STEP_LOG = 32 };

typedef struct StepLog {
    StepSize size[2][STEP_LOG];
    double seconds[2][STEP_LOG];
    size_t count[2]; /* since the service was opened */
} StepLog;

/* One step more; one without time or tokens is left out. */
void step_log_add(StepLog *log, StepSize size, double seconds);

/* What steps take, by those in the log.  False while there are too few: none of a kind, or all of about one size. */
bool step_log_cost(const StepLog *log, StepCost *cost);

/* As text: a line "batch TOKENS SECONDS AFTER" for each point, then "row SECONDS", "past SECONDS" and "seen SECONDS".
 *
 * Fails on what is not that. */
bool step_cost_read(StepCost *cost, Text text, Fault *fault);
void step_cost_write(const StepCost *cost, FILE *out);

#endif
