/* profile_trace.h - what a profile saw, for programs that draw it. */
#ifndef STRATA_PROFILE_TRACE_H
#define STRATA_PROFILE_TRACE_H

#include "profile.h"

#include <stdio.h>

/* All scopes as a trace for a browser: chrome://tracing and others read it. */
void profile_write_trace(const Profile *profile, FILE *out);

#endif
