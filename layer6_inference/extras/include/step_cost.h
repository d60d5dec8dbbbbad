/* step_cost.h - how long a step takes: measured points joined by lines, and four terms.
 *
 *     seconds = batch(tokens)           |              .·'    few tokens wait for the weights,
 *                                       |          .·'        fetched once for all; many, for
 *                                       | .___.·'             their products
 *                                       '-----------------
 *                                         1 2 4  8 ... 512
 *
 *             + after(before)       earlier prompts evicted weights from the caches
 *             + row  * rows         each row of logits, and the choice from it
 *             + past * positions    keys and values of each text, fetched once per step
 *             + seen * pairs        each token attends to every position of its past
 *
 * A single line would be wrong where it matters most, at a few tokens: that is the time between
 * tokens of an answer.  All terms are fitted by least squares to the steps of a service (strata
 * bench serve --costs).
 *
 * Invariant: tokens rise from point to point; no cost is negative [costs_are_found_again]. */
#ifndef STRATA_STEP_COST_H
#define STRATA_STEP_COST_H

#include "models.h"

#include <stdio.h>

enum { COST_POINTS = 16 };

typedef struct StepCost {
    double tokens[COST_POINTS], batch[COST_POINTS]; /* (points) tokens of a step; its seconds */
    double after[COST_POINTS]; /* (points) additional seconds after so many prompt tokens */
    size_t points;             /* at least two */
    double row, past, seen;    /* seconds per item */
} StepCost;

typedef struct StepSize {
    double tokens, rows, past, seen;
    double before; /* prompt tokens that the steps before evaluated: step_before */
} StepSize;

/* Below the first point a step costs the same as there; after the last one its line
 * continues, but `after` is constant. */
double step_cost_seconds(const StepCost *cost, StepSize size);

/* `before` of the next step: this step's prompt tokens, plus an eighth of its own `before`,
 * as each step fetches most of the weights back. */
double step_before(StepSize size);

/* Fit the costs to n steps, minimising the relative error; a step counts as at most twice its
 * expected cost.  The steps of about 1, 2, 4, 8 ... tokens get a point at their mean, if there
 * are any.  Negative terms are left out.
 *
 * Needs    n > 0, steps of at least a token, and seconds above 0.
 * Fails when all steps are of about one size. */
bool step_cost_fit(const StepSize *sizes, const double *seconds, size_t n, StepCost *cost,
                   Fault *fault);

/* Recent steps of a service, of two kinds: without prompts, where every token has a row, and
 * with them. */
enum { STEP_LOG = 32 };

typedef struct StepLog {
    StepSize size[2][STEP_LOG];
    double seconds[2][STEP_LOG];
    size_t count[2]; /* since the service was opened */
} StepLog;

/* Add a step; one without time or tokens is ignored. */
void step_log_add(StepLog *log, StepSize size, double seconds);

/* Fit the costs to the log.  False: too few steps, none of one kind, or all of about one
 * size. */
bool step_log_cost(const StepLog *log, StepCost *cost);

/* As text: a line "batch TOKENS SECONDS AFTER" for each point, then "row SECONDS", "past
 * SECONDS" and "seen SECONDS".
 *
 * Fails on anything else. */
bool step_cost_read(StepCost *cost, Text text, Fault *fault);
void step_cost_write(const StepCost *cost, FILE *out);

#endif
