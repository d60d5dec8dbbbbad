/* world_parts.h - shared by the files of strata world. */
#ifndef STRATA_PROGRAM_WORLD_H
#define STRATA_PROGRAM_WORLD_H

#include "command.h"
#include "worlds.h"

#define WORLD_OPTION(m)                                                                       \
    {                                                                                         \
        "--world", OPT_TEXT, &(m), "NAME",                                                    \
            "tiny, or wide: the same rules, with more words to choose from and most of them " \
            "rare"                                                                            \
    }

/* The line after each document. */
#define SEPARATOR "<|endoftext|>"

/* Fails unless the rule derives whole documents. */
bool world_kind(const char *rule, Fault *fault);

extern const Command world_check_command, world_score_command, world_sample_command;

#endif
