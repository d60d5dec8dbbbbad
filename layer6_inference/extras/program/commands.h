/* commands.h - the commands of the program `strata`, by groups. */
#ifndef STRATA_COMMANDS_H
#define STRATA_COMMANDS_H

#include "options.h"

#include <stdio.h>

/* The command of that name, or NULL. */
const Command *command_find(const char *name);

/* What the program says of itself: a few commands; all of them. */
void commands_brief(FILE *out);
void commands_all(FILE *out);

/* The man page strata(1). */
void commands_man(void);

/* For a shell: the words that may stand in place of the last, which is begun (help/help.h). */
int commands_words(int argc, char **argv);

/* Print that there is no such command, and what was probably meant. */
int command_unknown(const char *name);

#endif
