/* pulse.c - see pulse.h. */
#include "pulse.h"
#include "clock.h"
#include "timed_wait.h"

void pulse_init(Pulse *p) {
    *p = (Pulse){.beats = false};
    pthread_mutex_init(&p->lock, NULL), timed_init(&p->ends);
}

void pulse_free(Pulse *p) { pthread_cond_destroy(&p->ends), pthread_mutex_destroy(&p->lock); }

static void *run_pulse(void *pulse) {
    Pulse *p = pulse;
    pthread_mutex_lock(&p->lock);
    while (!p->ending) {
        timed_wait(&p->ends, &p->lock, p->every);
        if (!p->ending && clock_seconds() - p->last > p->every / 2) p->beat(p->context);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

bool pulse_begin(Pulse *p, double every, void (*beat)(void *context), void *context,
                 Fault *fault) {
    p->every = every, p->beat = beat, p->context = context;
    p->beats = pthread_create(&p->thread, NULL, run_pulse, p) == 0;
    return p->beats ||
           fault_set(fault, "no thread to tell other machines that this one is there");
}

void pulse_end(Pulse *p) {
    if (!p->beats) return;
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_signal(&p->ends);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->beats = false;
}
