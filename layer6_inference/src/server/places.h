/* places.h - who holds the places for answers: those that run, and those of the queue.
 *
 *     one key, or none    a a a a a a a a a a a a     all places are for whoever comes
 *     several keys        a a a a a a . . . . . .     a holds as many as are free: it gets no more
 *                         a a a a a a b b b . . .     neither does b now; c still finds some
 *
 * A fixed part for each of a hundred keys would be no place at all, and most keys ask for nothing.  What is free is
 * counted instead: a key may hold as many as it leaves to others, so that alone it has half of them, and of k that
 * want all each has one in k + 1.
 *
 * Invariant: whoever holds nothing gets a place while there is one.
 * Source   Choudhury and Hahne 1998, doi:10.1109/90.664262 (dynamic thresholds, for the buffers of switches). */
#ifndef STRATA_PLACES_H
#define STRATA_PLACES_H

#include "refusal.h"

typedef struct Places {
    uint64_t *user; /* (taken) whose answers they are; owns */
    size_t room, taken;
    bool shared; /* there are several users: none may hold more places than are free */
} Places;

bool places_open(Places *places, size_t room, Fault *fault);
void places_close(Places *places);

/* The most that one user may hold, when nobody else holds any. */
size_t places_most(const Places *places);

/* Take n places for a user's answers.
 *
 * Fails when so many are not free, or the user would hold more of them than stay free then, and more than one. */
bool places_take(Places *places, uint64_t user, size_t n, Refusal *refusal);

/* One of the user's answers is over. */
void places_leave(Places *places, uint64_t user);

#endif
