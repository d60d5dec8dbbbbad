/* timed_wait.h - wait for a condition, but not for ever.
 *
 * Invariant: a wait counts the seconds of clock_seconds, not those of the date; so its
 * condition is made by timed_init, with the same clock [waits_end]. */
#ifndef STRATA_TIMED_WAIT_H
#define STRATA_TIMED_WAIT_H

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Make a condition for timed_wait. */
static inline void timed_init(pthread_cond_t *condition) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &clock);
    pthread_condattr_destroy(&clock);
}

/* Wait at most so many seconds (INFINITY: for ever); false: they are over.  May return early,
 * as every wait for a condition may. */
static inline bool timed_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                              double seconds) {
    struct timespec until;
    if (isinf(seconds)) return pthread_cond_wait(condition, lock) == 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double nanoseconds = ceil((double)until.tv_nsec + 1e9 * fmax(seconds, 0));
    until.tv_sec += (time_t)(nanoseconds / 1e9), until.tv_nsec = (long)fmod(nanoseconds, 1e9);
    return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}

#endif
