/* steering.h - the options with which a command changes a model while it runs. */
#ifndef STRATA_STEERING_H
#define STRATA_STEERING_H

#include "interventions.h"
#include "options.h"

typedef struct SteeringOptions {
    OptionList heads, layers, neurons, heat;
    Interventions list;
    Probe probe;
} SteeringOptions;

#define STEERING_OPTIONS(h)                                                               \
    {"--scale-head", OPT_LIST, &(h).heads, "L.H=X",                                       \
     "multiply the output of head H of layer L by X; 0 removes the head (repeatable)"},   \
        {"--scale-layer", OPT_LIST, &(h).layers, "L=X",                                   \
         "multiply what layer L adds to the residual stream by X (repeatable)"},          \
        {"--scale-neuron", OPT_LIST, &(h).neurons, "L.N=X",                               \
         "multiply neuron N of layer L's feed-forward network by X (repeatable)"},        \
    {                                                                                     \
        "--attention-temp", OPT_LIST, &(h).heat, "T",                                     \
            "temperature of the attention softmax: 2 spreads, 0.5 sharpens; L=T for one " \
            "layer, L.H=T for one head (repeatable)"                                      \
    }

/* Before the session opens: will there be a probe? */
void steering_prepare(const SteeringOptions *steering);

/* Set the session's probe, which it borrows, from the options; none without options.
 *
 * Fails on malformed values and on parts that the model does not have. */
bool steering_open(SteeringOptions *steering, Session *session, Fault *fault);

#endif
