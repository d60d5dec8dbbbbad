/* world_check.h - is a text in Tiny World's language, and how likely?
 *
 * All derivations are followed at once, each with its memory of people, things and places. */
#ifndef STRATA_WORLD_CHECK_H
#define STRATA_WORLD_CHECK_H

#include "world.h"

/* The result of a check. */
typedef struct WorldVerdict {
    bool valid;
    /* grammar, name, pronoun, kind, thing, ..., answer, card; or ways: too many derivations */
    char reason[16];
    size_t place;         /* byte of the document at which no choice fits */
    char detail[200];     /* what is there and what was expected */
    unsigned derivations; /* derivations of the document: 1 unless the grammar is ambiguous */
    double nats; /* -log of the summed probability of all derivations; infinity: no document */
} WorldVerdict;

/* Check a document.
 *
 *   prefix   accept a document that stops early (cut at a length limit); nats is then that of
 *            all documents that begin with these bytes, together */
WorldVerdict world_check(const World *world, const char *rule, const char *bytes, size_t size,
                         bool prefix);

#endif
