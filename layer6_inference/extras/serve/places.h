/* places.h - who holds the places for answers: those that run, and those of the queue.
 *
 *     one key, or none    all places are for whoever comes
 *     several keys        none holds more than it leaves free (share.h)
 *
 * Invariant: whoever holds nothing gets a place while there is one. */
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
