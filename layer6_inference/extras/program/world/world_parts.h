/* world_parts.h - strata world: what its parts share. */
#ifndef STRATA_PROGRAM_WORLD_H
#define STRATA_PROGRAM_WORLD_H

#include "command.h"

/* The line after each document. */
#define SEPARATOR "<|endoftext|>"

/* Fails unless a rule is one that whole documents have. */
bool world_kind(const char *rule, Fault *fault);

extern const Command world_check_command, world_score_command, world_sample_command;

#endif
