/* worlds.h - Tiny World, and a second one with a long tail.
 *
 *     tiny   the built-in language: at most 45 words to choose from, all equally likely
 *     wide   the same rules and words; the hero and the lost thing are any of 80 names, 80 kinds
 *            and 70 things, not of half of them, and the k-th word of a class is k times rarer
 *            than the first (Zipf's law)
 *
 * What holds of samplers in both does not depend on equal words. */
#ifndef STRATA_WORLDS_H
#define STRATA_WORLDS_H

#include "world.h"

/* Open a world by its name; NULL: tiny.  The caller owns it.
 *
 * Fails when there is no such world; the fault lists the names. */
World *world_open_named(const char *name, Fault *fault);

#endif
