/* turns.h - several models, one pool of threads: their workers compute in turns.
 *
 *     model a   |step|    |step|    |step|
 *     model b        |step|    |step|          first come, first served
 *
 * A step of two models at once would be two halves, and each loop would wait for threads that
 * the other one has.
 *
 * Invariant: one worker computes at a time; none waits for more than one step of each other. */
#ifndef STRATA_TURNS_H
#define STRATA_TURNS_H

#include <pthread.h>
#include <stdint.h>

typedef struct Turns {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t given, now; /* numbers drawn, and the one whose turn it is */
} Turns;

void turns_open(Turns *turns);
void turns_close(Turns *turns);
void turns_take(Turns *turns);
void turns_give(Turns *turns);

#endif
