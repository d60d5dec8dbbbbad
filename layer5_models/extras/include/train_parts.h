/* train_parts.h - the gradients of a batch computed in parts, by several machines.
 *
 *     documents of a batch      0 1 2 | 3 4 5 | 6 7 | 8 9 10      four parts
 *     gradients                   g0  +  g1     g2  +  g3          added in a fixed tree,
 *                                  '-----. .-----'                 wherever a part is computed
 *                                         +
 *
 * Adding rounds, so a sum depends on the order of its terms.  Here that is the order of the
 * parts.  A machine that has neighbouring parts adds them itself; then it sends one sum.  The
 * first machine has the whole sum, updates the weights, and sends them to the others when the
 * next step begins: so it alone needs moments and writes checkpoints.
 *
 * Sent in each step: the weights to each machine, its sums from each; 4 bytes a number.
 *
 * Invariant: the weights depend on the number of parts, not on the number of machines
 * [machines_change_no_weight]; with one part they are those without parts
 * [one_part_is_no_part]. */
#ifndef STRATA_TRAIN_PARTS_H
#define STRATA_TRAIN_PARTS_H

#include "group.h"
#include "train.h"

typedef struct TrainParts TrainParts;

typedef struct TrainPartsConfig {
    size_t parts; /* of a batch, by documents; at least as many as machines */
    Group *group; /* borrows; NULL: this machine alone */
    /* the longest wait for an answer; for gradients four times as long as the own ones took
     * besides, at each level of the tree of machines.  Between steps the others hear that the
     * first machine is there, and end when they do not */
    double seconds;
    const char *version; /* of the program: the same on all */
    /* A machine was lost in the middle of a step.  Must not return. */
    void (*lost)(void *context, const Fault *fault);
    void *context;
} TrainPartsConfig;

/* Have the trainer find its gradients in parts, from the next step on.  Every machine opens a
 * trainer of the same run first; then the first one calls this, the others train_parts_serve.
 *
 * Fails when there are fewer parts than machines, when memory is short, and when a machine does
 * not answer, is of another version, or has another run. */
TrainParts *train_parts_open(Trainer *trainer, const TrainPartsConfig *config, Fault *fault);

/* End, and end the others' train_parts_serve.  NULL: nothing. */
void train_parts_close(TrainParts *parts);

/* What the other machines do: find the gradients of their parts until the first one says that
 * it is the end.
 *
 *   trainer   NULL: this machine could not open it; `fault` says why, and the first machine is
 *             told
 *
 * Fails when the first machine is gone. */
bool train_parts_serve(Trainer *trainer, const TrainPartsConfig *config, Fault *fault);

#endif
