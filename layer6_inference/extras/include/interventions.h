/* interventions.h - what is to be changed in a model while it runs, as text.
 *
 *     head     1.3=0      what head 3 of layer 1 brings, times 0: silence
 *     layer    2=0.5      what layer 2 adds to the stream, halved
 *     neuron   0.17=4     neuron 17 of layer 0, times 4
 *     heat     2          attention at a temperature of 2 in all heads; 1=2: of layer 1; 1.3=2: of one head
 *
 * Invariant: what is in the list was read without a mistake; whether a model has such parts is for
 * session_probe to say. */
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
 * Fails when the kind is unknown, the text is not of its form, the same part is in the list already,
 * or the list is full. */
bool interventions_add(Interventions *list, const char *kind, const char *text, Fault *fault);

/* Replace the list by "head:1.3=0,layer:2=0.5"; nothing is an empty one.
 *
 * Fails as interventions_add does. */
bool interventions_read(Interventions *list, const char *text, Fault *fault);

#endif
