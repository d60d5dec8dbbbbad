/* commands.h - the commands of strata by name, and the programs that they lie in.
 *
 * strata itself is small: like git it starts strata-chat, strata-lab ... for the rest, which
 * lie beside it (start.c).  Each program but strata-serve is a file of programs/, which
 * lists its commands; the archive of all other files holds what these need, and main. */
#ifndef STRATA_COMMANDS_H
#define STRATA_COMMANDS_H

#include "command.h"

#include <stdio.h>

/* The commands of this program, NULL behind the last: programs/. */
extern const Command *const program_commands[];

/* What every program knows of a command. */
typedef struct CommandName {
    const char *group; /* the first one of a group names it */
    bool first;        /* listed for newcomers */
    const char *name, *gloss;
    const char *program; /* NULL: strata */
} CommandName;

/* The command of that name, or NULL: among all, or those of this program. */
const CommandName *command_find(const char *name);
const Command *command_here(const char *name);

/* Run a command here or by its program; argv[0] is its name.  Returns the exit status. */
int command_start(const CommandName *name, int argc, char **argv);

/* Start a command's program in place of this one (start.c).  Returns only when that fails. */
int program_start(const CommandName *name, char **argv);

/* Overview: the first commands; all of them. */
void commands_brief(FILE *out);
void commands_all(FILE *out);

/* The help of `strata help`. */
void commands_help(void);

/* Print the commands of a program ("strata-lab" or "lab"); false: there is no such program. */
bool commands_of(const char *program);

/* The man page strata(1). */
void commands_man(void);

/* For a shell: completions of the last word (help/help.h). */
int commands_words(int argc, char **argv);

/* Print that there is no such command, and what was probably meant. */
int command_unknown(const char *name);

extern const Command command_generate, command_chat, command_tokenize, command_logits,
    command_inspect, command_world, command_train, command_bench, command_chain, command_embed,
    command_rerank, command_samplers, command_grammar, command_watermark, command_compare,
    command_tune, command_figure, command_convert, command_dump, command_quantize,
    command_perplexity, command_look, command_template, command_serve, command_simulate,
    command_profile, command_diffuse, command_pull;

#endif
