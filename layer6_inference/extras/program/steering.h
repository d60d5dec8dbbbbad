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

#define STEERING_OPTIONS(h)                                                                  \
    {"--scale-head", OPT_LIST, &(h).heads, "L.H=X",                                          \
     "what head H of layer L brings, times X; 0: silence (may be given several times)"},     \
        {"--scale-layer", OPT_LIST, &(h).layers, "L=X",                                      \
         "what layer L adds to the stream, times X (may be given several times)"},           \
        {"--scale-neuron", OPT_LIST, &(h).neurons, "L.N=X",                                  \
         "neuron N of layer L's feed-forward, times X (may be given several times)"},        \
    {                                                                                        \
        "--attention-temp", OPT_LIST, &(h).heat, "T",                                        \
            "attention's own temperature: 2 looks at more, 0.5 at less; L=T: of one layer, " \
            "L.H=T: of one head (may be given several times)"                                \
    }

/* From the options to a probe of the session, which borrows it; without them the session has none.
 *
 * Fails when one cannot be read or the model does not have what it names. */
bool steering_open(SteeringOptions *steering, Session *session, Fault *fault);

#endif
