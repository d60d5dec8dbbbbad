/* world_check.h - is a text one of Tiny World's, and how likely?
 *
 * Every way to read it is followed at once, with what it says of people, things and places. */
#ifndef STRATA_WORLD_CHECK_H
#define STRATA_WORLD_CHECK_H

#include "world.h"

/* What a check found. */
typedef struct WorldVerdict {
    bool valid;
    char reason[16];  /* grammar, name, pronoun, kind, thing, ..., answer, card; or ways: too
                             many to go through */
    size_t place;     /* byte of the document at which no choice fits any more */
    char detail[200]; /* what stands there and what was wanted */
    unsigned derivations; /* ways to read the document: 1 unless the grammar is ambiguous */
    double nats; /* -log of the summed probability of all ways; infinity: no document */
} WorldVerdict;

/* Read a document.
 *
 *   prefix   accept a document that simply stops early (for text cut at a length limit); nats is
 *            then that of all documents which begin with these bytes, together */
WorldVerdict world_check(const World *world, const char *rule, const char *bytes, size_t size,
                         bool prefix);

#endif
