/* steering.c - see steering.h. */
#include "session_probe.h"
#include "steering.h"

static bool add_all(Interventions *list, const char *option, const char *kind,
                    const OptionList *texts, Fault *fault) {
    for (size_t i = 0; i < texts->count; i++)
        if (!interventions_add(list, kind, texts->items[i], fault))
            return fault_prefix(fault, option);
    return true;
}

void steering_prepare(const SteeringOptions *h) {
    if (h->heads.count || h->layers.count || h->neurons.count || h->heat.count)
        session_expect_probe(true);
}

bool steering_open(SteeringOptions *h, Session *session, Fault *fault) {
    h->list.count = 0;
    if (!add_all(&h->list, "--scale-head", "head", &h->heads, fault) ||
        !add_all(&h->list, "--scale-layer", "layer", &h->layers, fault) ||
        !add_all(&h->list, "--scale-neuron", "neuron", &h->neurons, fault) ||
        !add_all(&h->list, "--attention-temp", "heat", &h->heat, fault))
        return false;
    h->probe.acts = h->list.acts, h->probe.count = h->list.count;
    return h->list.count == 0 || session_probe(session, &h->probe, fault);
}
