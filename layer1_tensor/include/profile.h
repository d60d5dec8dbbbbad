/* profile.h - where the time of a run goes.
 *
 *     void attention_online(...) {
 *         PROFILE("attention");        from here to the end of the function
 *         ...
 *     }
 *
 * Scopes lie in each other as the functions do that name them; what is called from the same scope
 * under the same name is one row of the tree:
 *
 *     forward                12.1 ms
 *       mixer                 4.0
 *         weights             3.1
 *         attention           0.5
 *       weights               7.3
 *
 * Only the thread that began profiling is watched: the one that hands out the work of the others.
 *
 * Invariant: while nobody profiles, a scope is one test of a flag that never changes. */
#ifndef STRATA_PROFILE_H
#define STRATA_PROFILE_H

#include "fault.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Something that took from `start` to `end`, in seconds of the clock. */
typedef struct ProfileEvent {
    double start, end;
    int32_t row;
} ProfileEvent;

/* A row of the tree. */
typedef struct ProfileRow {
    const char *name;
    int32_t parent; /* -1: none */
    size_t depth;
    size_t count;
    double sum; /* seconds */
    double median, p95; /* of one time, in seconds (profile_stop) */
} ProfileRow;

enum { PROFILE_ROWS = 256, PROFILE_DEPTH = 32 };

typedef struct Profile {
    ProfileEvent *events; /* (room); owns */
    size_t count, room;
    size_t missed; /* 1: a scope had no room, and nothing after it was recorded */
    ProfileRow rows[PROFILE_ROWS];
    size_t n_rows;
    size_t open[PROFILE_DEPTH]; /* events that have not ended, the innermost last */
    size_t depth;
} Profile;

/* Watch this thread from now on, for up to `events` scopes and PROFILE_ROWS rows; from the
 * first scope without room on, nothing is recorded.
 *
 * Fails when memory runs out, or somebody profiles already. */
bool profile_start(Profile *profile, size_t events, Fault *fault);

/* Enough; the rows have their percentiles, every parent before its children. */
void profile_stop(Profile *profile);
void profile_free(Profile *profile);

/* What PROFILE is made of: a scope begins, if anybody profiles this thread, and ends if it began. */
bool profile_enter(const char *name);
void profile_leave(const bool *entered);

#define PROFILE(name)                                                            \
    __attribute__((cleanup(profile_leave), unused)) const bool profile_entered = \
        profile_enter(name)

#endif
