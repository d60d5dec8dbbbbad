/* session_probe.h - a probe observes the forward passes of a session. */
#ifndef STRATA_SESSION_PROBE_H
#define STRATA_SESSION_PROBE_H

#include "families.h"

/* Sessions that open from now on have all heads' keys on this machine (machines.h), as a probe
 * needs them, or an assistant (draft_head.h); or no more. */
void session_expect_probe(bool expected);
bool session_expects_probe(void);

/* Let a probe (probe.h) observe every forward pass from now on and intervene; NULL: none.  The
 * session borrows it and its acts.  Cached positions keep their values: reset first.
 *
 * Fails when an act names a layer, head, neuron or position that the model does not have, a
 * scale beyond a million or a heat outside a millionth to a million, and when other machines
 * have some of the session's heads; then the previous probe stays. */
bool session_probe(Session *session, Probe *probe, Fault *fault);

#endif
