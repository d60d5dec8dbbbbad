/* pulse.h - a thread that tells other machines that this one is still there.  See machines.h.
 *
 * In training its lock is held while a step goes on, in which no word may come between:
 *
 *     lock ... order ... unlock          silence              lock ... order ...
 *                               every/2 and more: beat, beat
 *
 * Elsewhere it is held for moments only, and the thread beats whatever goes on. */
#ifndef STRATA_PULSE_H
#define STRATA_PULSE_H

#include "fault.h"

#include <pthread.h>
#include <stdbool.h>

/* How long others wait without a word of the first machine: longer than it waits for them, so
 * that it can name the one that hangs. */
static inline double pulse_wait(double seconds) { return 1.25 * seconds; }

typedef struct Pulse {
    pthread_mutex_t lock; /* held during a beat */
    double last;          /* when the last order went out; 0: beat in any case */
    pthread_cond_t ends;
    pthread_t thread;
    bool beats, ending;
    double every; /* seconds */
    void (*beat)(void *context);
    void *context;
} Pulse;

void pulse_init(Pulse *pulse);
void pulse_free(Pulse *pulse);

/* Call `beat` with the lock held, about every so many seconds without an order.  Fails when
 * there is no thread. */
bool pulse_begin(Pulse *pulse, double every, void (*beat)(void *context), void *context,
                 Fault *fault);

/* No beat after this; nothing if none began. */
void pulse_end(Pulse *pulse);

#endif
