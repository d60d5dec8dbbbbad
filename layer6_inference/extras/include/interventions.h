/* interventions.h - changes to a model while it runs, as text.
 *
 *     head     1.3=0      the output of head 3 of layer 1, times 0: removed
 *     layer    2=0.5      what layer 2 adds to the stream, halved
 *     neuron   0.17=4     neuron 17 of layer 0, times 4
 *     heat     2          attention temperature 2; 1=2: in layer 1; 1.3=2: in one head
 *
 * Invariant: the list's entries are well-formed; session_probe checks whether a model has such
 * parts [test_look.sh, what_is_not_there_is_refused]. */
#ifndef STRATA_INTERVENTIONS_H
#define STRATA_INTERVENTIONS_H

#include "models.h"

enum { INTERVENTIONS = 128 };

typedef struct Interventions {
    Act acts[INTERVENTIONS];
    size_t count;
} Interventions;

/* Add one.
 *
 *   kind   head, layer, neuron or heat
 *
 * Fails on an unknown kind, malformed text, a part that is already in the list, and a full
 * list. */
bool interventions_add(Interventions *list, const char *kind, const char *text, Fault *fault);

/* Replace the list by "head:1.3=0,layer:2=0.5"; "" empties it.
 *
 * Fails as interventions_add does. */
bool interventions_read(Interventions *list, const char *text, Fault *fault);

#endif
