/* help.h - what a table of options says of itself: help, man page, completion, and what was
 * meant where it has no such option.
 *
 *     --help         usage, and the options that most need; all of them where they are few
 *     --help=all     all of them, and which combine
 *     --help=man     a man page, in the language of roff
 *     --help=words A B C   for a shell: words that may stand in place of
 *                          C, which is begun (words.c) */
#ifndef STRATA_HELP_H
#define STRATA_HELP_H

#include "options.h"

/* Is the word one of these? */
bool help_is_asked(const char *word);

/* Print what the word argv[i] asks for.  Returns the exit status. */
int help_print(const CommandLine *line, int i);

/* The command's name, from its usage: "world check". */
void help_title(const CommandLine *line, char *out, size_t size);

/* "80; 1 to 24": default and range of a number as in help; "" without. */
void help_range(const Option *option, char *out, size_t size);

void help_man(const CommandLine *line);
void help_words(const CommandLine *line, int i);

/* Print that argv[i] is not an option of the command, and what was probably meant. */
int unknown_option(const CommandLine *line, int i);

/* The same for an argument that the command does not take. */
int unknown_word(const CommandLine *line, const char *word);

/* Text in a man page, escaped for roff. */
void roff_text(const char *text);

/* The head of a man page, up to its one-line description. */
void roff_head(const char *title);

/* A line for the shell: a word, a tab, its description. */
void words_line(const char *word, const char *begun, const char *gloss);

#endif
