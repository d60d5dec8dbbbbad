/* admission.h - slots for running and queued answers, and for all other work on a text.
 *
 * A slot is taken before a request's texts are tokenized and its grammar is compiled, so that
 * no client has more of that done at once than it may have answers.
 *
 *     one key, or none    first come, first served
 *     several keys        no key holds more slots than it leaves free (share.h)
 *
 * Invariant: a user that holds nothing gets a slot while one is free. */
#ifndef STRATA_ADMISSION_H
#define STRATA_ADMISSION_H

#include "http_error.h"

typedef struct Admission {
    uint64_t *user; /* (taken) the users of the taken slots; owns */
    size_t room, taken;
    bool shared; /* several users: none may hold more slots than are free */
} Admission;

bool admission_open(Admission *places, size_t room, Fault *fault);
void admission_close(Admission *places);

/* The most slots that one user may hold when all others hold none. */
size_t admission_most(const Admission *places);

/* Slots that a user holds of one model. */
size_t admission_held(const Admission *places, uint64_t user);

/* Take n slots for a user's answers.
 *
 *   most        the most that the user may hold; 0: any number
 *   elsewhere   those that it holds of other models
 *
 * Fails when fewer are free, or the user would hold more than stay free (a single slot is
 * always allowed). */
bool admission_take(Admission *places, uint64_t user, size_t n, size_t most, size_t elsewhere,
                    HttpError *error);

/* Return the slot of a finished answer. */
void admission_leave(Admission *places, uint64_t user);

#endif
