/* session_probe.h - a probe observes the forward passes of a session. */
#ifndef STRATA_SESSION_PROBE_H
#define STRATA_SESSION_PROBE_H

#include "families.h"

/* Let a probe (probe.h) observe every forward pass from now on and intervene; NULL: none.  The
 * session borrows it and its acts.  Cached positions keep their values: reset first.
 *
 * Fails when an act names a layer, head, neuron or position that the model does not have, a
 * scale beyond a million or a heat outside a millionth to a million; then the previous probe
 * stays. */
bool session_probe(Session *session, Probe *probe, Fault *fault);

#endif
