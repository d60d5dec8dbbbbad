/* admission.h - who holds the places for answers: those that run, and those of the queue.
 *
 *     one key, or none    all places are for whoever comes
 *     several keys        none holds more than it leaves free (share.h)
 *
 * Invariant: whoever holds nothing gets a place while there is one. */
#ifndef STRATA_ADMISSION_H
#define STRATA_ADMISSION_H

#include "http_error.h"

typedef struct Admission {
    uint64_t *user; /* (taken) whose answers they are; owns */
    size_t room, taken;
    bool shared; /* there are several users: none may hold more places than are free */
} Admission;

bool admission_open(Admission *places, size_t room, Fault *fault);
void admission_close(Admission *places);

/* The most that one user may hold, when nobody else holds any. */
size_t admission_most(const Admission *places);

/* Take n places for a user's answers.
 *
 * Fails when so many are not free, or the user would hold more of them than stay free then, and more than one. */
bool admission_take(Admission *places, uint64_t user, size_t n, HttpError *error);

/* One of the user's answers is over. */
void admission_leave(Admission *places, uint64_t user);

#endif
