/* profile.h - where the time of a run goes.
 *
 *     void attention_online(...) {
 *         PROFILE("attention");        from here to the end of the function
 *         ...
 *     }
 *
 * Scopes nest as their functions do.  Calls from the same scope under the same name are one row
 * of the tree:
 *
 *     forward                12.1 ms
 *       mixer                 4.0
 *         weights             3.1
 *         attention           0.5
 *       weights               7.3
 *
 * Only the thread that started profiling is watched: the one that hands out work to the others.
 *
 * While nothing is profiled, a scope tests one flag. */
#ifndef STRATA_PROFILE_H
#define STRATA_PROFILE_H

#include "fault.h"

#include <stddef.h>
#include <stdint.h>

/* One scope, in seconds of the clock. */
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
    double sum;         /* seconds */
    double median, p95; /* of one time, in seconds (profile_stop) */
} ProfileRow;

enum { PROFILE_ROWS = 256, PROFILE_DEPTH = 32 };

typedef struct Profile {
    ProfileEvent *events; /* (room); owns */
    size_t count, room;
    size_t missed; /* 1: recording stopped at a scope without room */
    ProfileRow rows[PROFILE_ROWS];
    size_t n_rows;
    size_t open[PROFILE_DEPTH]; /* unfinished events, the innermost last */
    size_t depth;
} Profile;

/* Watch this thread from now on, for up to `events` scopes and PROFILE_ROWS rows; recording
 * stops at the first scope without room.
 *
 * Fails when memory runs out, and while another profile is running. */
bool profile_start(Profile *profile, size_t events, Fault *fault);

/* Stop, and compute the rows' percentiles; parents come before their children. */
void profile_stop(Profile *profile);
void profile_free(Profile *profile);

/* What PROFILE expands to: begin a scope if this thread is profiled; end it if it began. */
extern __thread bool profile_on; /* C and C++ */
void profile_push(const char *name);
void profile_pop(void);

static inline bool profile_enter(const char *name) {
    if (profile_on) profile_push(name);
    return profile_on; /* profile_push clears it when there is no room */
}

static inline void profile_leave(const bool *entered) {
    if (*entered) profile_pop();
}

#define PROFILE(name)                                                            \
    __attribute__((cleanup(profile_leave), unused)) const bool profile_entered = \
        profile_enter(name)

#endif
