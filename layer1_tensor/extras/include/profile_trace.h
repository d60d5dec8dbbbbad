/* profile_trace.h - a profile as a trace, for programs that draw it. */
#ifndef STRATA_PROFILE_TRACE_H
#define STRATA_PROFILE_TRACE_H

#include "profile.h"

#include <stdio.h>

/* All scopes, in the format of chrome://tracing. */
void profile_write_trace(const Profile *profile, FILE *out);

#endif
