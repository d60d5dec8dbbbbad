/* session_probe.h - a probe looks into the forward passes of a session. */
#ifndef STRATA_SESSION_PROBE_H
#define STRATA_SESSION_PROBE_H

#include "families.h"

/* Let a probe (probe.h) observe every forward pass from now on, and act on it; NULL: none.  The
 * session borrows it and its acts.  What was read before stays as it was read: reset first.
 *
 * Fails when an act names a layer, head, neuron or position that the model does not have, a scale
 * beyond a million or a heat outside a millionth to a million; the probe that was there stays. */
bool session_probe(Session *session, Probe *probe, Fault *fault);

#endif
