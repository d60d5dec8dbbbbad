/* on_machines.h - commands that mpirun starts on several machines.
 *
 * The first of them runs the command; the others compute rows for it (machines.h), or, of a
 * training run, gradients.  Without mpirun, or for one machine, nothing of this happens. */
#ifndef STRATA_ON_MACHINES_H
#define STRATA_ON_MACHINES_H

#include "command.h"
#include "compute.h"
#include "machines.h"
#include "train_parts.h"

/* command_run, on as many machines as mpirun has started.  Returns the exit status. */
int command_run_on_machines(const Command *command, int argc, char **argv);

/* How many machines compute; 1: this one alone.  Does each have whole layers? */
int machines_number(void);
bool machines_by_layers(void);

enum { MACHINES_LEAST = 1 << 14 }; /* weights of the smallest matrix that is worth a message */

/* "3:2:2": a share for each machine. */
bool machines_shares(const char *text, int size, double *shares, Fault *fault);

/* Is it "layers"?  NULL: rows.  Fails for any other word. */
bool machines_split(const char *text, bool *by_layers, Fault *fault);

/* Is it "f16"?  NULL: f32.  Fails for any other word. */
bool machines_wire(const char *text, bool *half, Fault *fault);

/* Can --shares, --split, --wire and --file-on-first be followed?  Fails without mpirun, and
 * unless there is a share for each. */
bool machines_check(const ComputeOptions *compute, Fault *fault);

/* Have all machines open a model; needs machines_number() > 1.  Forget it before it is closed
 * (else nothing happens). */
bool machines_take(const ComputeOptions *compute, const char *path, const Model *model,
                   Fault *fault);
void machines_forget(const Model *model);

/* When another machine is lost, call `tell` before all end, in the thread that computes (a
 * server tells its clients); NULL: nothing. */
void machines_before_end(void (*tell)(void *context, const Fault *fault), void *context);

/* Is this the first of them, or the only one? */
bool machines_first(void);

/* A training run whose gradients all machines find (train_parts.h): what the first one calls,
 * and what the others do until the first one closes it. */
TrainParts *machines_train(Trainer *trainer, size_t parts, Fault *fault);
bool machines_help_train(Trainer *trainer, size_t parts, Fault *fault);

/* A line about what went over the wire; nothing on one machine. */
void machines_print(FILE *out);

#endif
