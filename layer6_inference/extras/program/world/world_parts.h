/* world_parts.h - strata world: what its parts share. */
#ifndef STRATA_PROGRAM_WORLD_H
#define STRATA_PROGRAM_WORLD_H

#include "options.h"

/* The line after each document. */
#define SEPARATOR "<|endoftext|>"

/* Usage is wrong, and said to be, unless a rule is one that whole documents have. */
bool is_kind(const char *rule);

int run_check(int argc, char **argv);
int run_score(int argc, char **argv);
int run_sample(int argc, char **argv);

#endif
