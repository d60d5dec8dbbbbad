/* command.h - a command is a row: what it takes, and the function that does it.
 *
 *     const Command command_dump = {.name = "dump",
 *                                   .usage = "dump FILE TENSOR [--raw]",
 *                                   .about = "Write a tensor's values to stdout ...",
 *                                   .options = dump_options,
 *                                   .words = asked.names, .min_words = 2, .max_words = 2,
 *                                   .run = dump_run};
 *
 * command_run reads the line into static values (asked), checks the rules and runs it. Help,
 * man page and completion are made of the same row.  What runs a model calls loaded_run. */
#ifndef STRATA_COMMAND_H
#define STRATA_COMMAND_H

#include "options.h"

struct Command {
    const char *name;        /* "generate"; of a part the last word, "check" */
    const char *usage;       /* after "strata" */
    const char *about;       /* what it does */
    const char *examples[4]; /* lines to try, NULL behind the last */
    const Option *options;
    const char *brief;        /* the options that most need; NULL: there are few */
    const OptionRule *rules;  /* NULL: everything goes with everything */
    const char **words;       /* positional arguments, including all after "--" */
    int min_words, max_words; /* of them */
    /* The first word is one of those in the usage, "bench matmul|samplers"; rules may name
     * it. */
    bool has_kinds;
    /* Commands of its own, strata world check; NULL behind the last. */
    const Command *const *parts;
    /* Checks what rules cannot express; or NULL. */
    bool (*check)(Fault *fault);
    /* One of these two does it; run_status has an exit status of its own. */
    bool (*run)(Fault *fault);
    int (*run_status)(void);
    /* mpirun: each machine runs it, and only the first one says anything.  Else the others
     * compute rows for the first. */
    bool on_each;
};

/* Read the line and run the command, or one of its own.  Returns the exit status. */
int command_run(const Command *command, int argc, char **argv);

/* The command of its own that a word names, or NULL. */
const Command *command_part(const Command *command, const char *word);

#define MODEL_OPTION(m)                                                                 \
    {                                                                                   \
        "-m", OPT_TEXT, &(m), "FILE",                                                   \
            "model: a GGUF file, or a name from strata pull (default: the storyteller)" \
    }

#endif
