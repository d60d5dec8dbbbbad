/* command.h - a command is a row of a table: what it takes, and the function that does it.
 *
 *     const Command command_dump = {.name = "dump",
 *                                   .usage = "dump FILE TENSOR [--raw]",
 *                                   .about = "Write a tensor's values to stdout ...",
 *                                   .options = dump_options,
 *                                   .words = asked.names, .min_words = 2, .max_words = 2,
 *                                   .run = dump_run};
 *
 * command_run reads the line into static values, checks the rules, opens what is wanted and runs the one function that the row
 * names. */
#ifndef STRATA_COMMAND_H
#define STRATA_COMMAND_H

#include "options.h"

struct Command {
    const char *name;  /* "generate"; of a command's own command the last word */
    const char *usage; /* what stands behind "strata" */
    const char *about; /* what it does */
    const Option *options;
    const OptionRule *rules;  /* NULL: everything goes with everything */
    const char **words;       /* here goes what is no option, or stands behind "--" */
    int min_words, max_words; /* of them */
    bool
        has_kinds; /* the first of them is one of those in the usage, "bench matmul|samplers", and rules name it */
    const Command *const
        *parts; /* commands of its own, NULL behind the last: strata world check; or NULL */

    /* What no table says of the line: fails for a mistake in it.  NULL: nothing. */
    bool (*check)(Fault *fault);
    /* One of these runs it, the other with an exit status. */
    bool (*run)(Fault *fault);
    int (*run_status)(void);
};

/* Read the line and run the command, or one of its own.  Returns the exit status. */
int command_run(const Command *command, int argc, char **argv);

/* The command of its own that a word names, or NULL. */
const Command *command_part(const Command *command, const char *word);

#define MODEL_OPTION(m, what) \
    { "-m", OPT_TEXT, &(m), "FILE", what " (the storyteller in the box)" }

#endif
