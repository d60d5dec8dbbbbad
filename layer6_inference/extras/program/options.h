/* options.h - command-line options from a table; the same table makes --help.  The values
 * are static: a program runs one command, once. */
#ifndef STRATA_OPTIONS_H
#define STRATA_OPTIONS_H

#include "inference.h"

/* What an option takes.  A number has a range, and what lies outside (or is no number) is
 * refused:
 *
 *     {"--guess", OPT_INT(1, 24), &guess, "N", "tokens in a draft (4)"}
 *
 * Values: OPT_TEXT, OPT_OUTPUT and OPT_PROMPT const char *, OPT_INT long, OPT_SEED uint64_t
 * (any), OPT_REAL double, OPT_FLAG bool, OPT_LIST OptionList. */
typedef enum OptionType {
    TYPE_TEXT,
    TYPE_OUTPUT, /* a file to write: nothing else on the line may name it */
    TYPE_PROMPT, /* a text; "-": standard input without its final newline */
    TYPE_INT,
    TYPE_SEED,
    TYPE_REAL,
    TYPE_FLAG,
    TYPE_LIST
} OptionType;

typedef struct OptionKind {
    OptionType type;
    double low, high; /* of a number, both allowed */
} OptionKind;

#define OPT_TEXT \
    { TYPE_TEXT, 0, 0 }
#define OPT_OUTPUT \
    { TYPE_OUTPUT, 0, 0 }
#define OPT_PROMPT \
    { TYPE_PROMPT, 0, 0 }
#define OPT_INT(low, high) \
    { TYPE_INT, low, high }
#define OPT_SEED \
    { TYPE_SEED, 0, 0 }
#define OPT_REAL(low, high) \
    { TYPE_REAL, low, high }
#define OPT_FLAG \
    { TYPE_FLAG, 0, 0 }
#define OPT_LIST \
    { TYPE_LIST, 0, 0 }

enum { OPTION_LIST = 32, OPTION_MANY = 1000000000 /* as good as no limit */ };

typedef struct OptionList {
    const char *items[OPTION_LIST];
    size_t count;
} OptionList;

typedef struct Option {
    const char *name; /* "--chain", "-m", or both: "-t, --threads"; NULL ends the table */
    OptionKind kind;
    void *value;
    const char *metavar, *help;
} Option;

/* Which options combine.  A table of rules is checked before anything is opened, computed or
 * printed, and --help prints it:
 *
 *     {"--guess", NEEDS, "--draft", "it makes the drafts"}
 *     {"--trace", NOT_WITH, "--beams", "beams run no chain"}
 *
 * Names that are no options stand for something else that the command knows: a kind of
 * benchmark, a stage of the chain. */
typedef enum OptionRelation { NEEDS, NOT_WITH } OptionRelation;

typedef struct OptionRule {
    const char *names; /* each of them has the rule; NULL ends the table */
    OptionRelation relation;
    const char *others; /* with spaces between; NEEDS: one of them, NOT_WITH: none of them */
    const char *advice; /* reason or alternative: ends the sentence */
} OptionRule;

/* Was something asked for that is no option: a kind of benchmark, a stage of the chain?  Where
 * Asked is NULL, rules that may need such a thing are left to the command. */
typedef bool Asked(const void *context, const char *name);

/* Of a Chain: is a stage of this name on? */
Asked chain_has;

/* Fails with the first rule that is broken, naming both sides. */
bool rules_check(const OptionRule *rules, Asked *asked, const void *context, Fault *fault);

/* "NAME=FILE" in two; false: a part is missing. */
bool named_file(const char *text, Text *name, const char **file);

/* Was an option given, whatever its value? */
bool option_given(const char *name);

typedef struct Command Command;

/* How a command was called. */
typedef struct CommandLine {
    int argc;
    char **argv; /* argv[0] is the command */
    const Command *command;
} CommandLine;

/* Read and check options and words.  Prints help or the mistake itself.
 *
 * Returns -1 to go on, else an exit status. */
int command_line_read(const CommandLine *line);

/* The option of that name ("-t" and "--threads" are one's), or NULL. */
const Option *option_find(const Option *options, const char *name);
bool option_is_called(const Option *option, const char *name);

/* Does a word look like one?  "-" and "-5" do not. */
bool option_shaped(const char *word);

/* The option at argv[*i]; *i moves to its last word.  NULL: not an option. */
const Option *option_at(const CommandLine *line, int *i);

/* Is a word one of these names with blanks between? */
bool names_have(const char *names, const char *word);

/* Take the first of them off; false: there is none. */
bool names_next(const char **names, char name[64]);

/* "A", "A or B", "A, B or C" of them. */
void names_join(char *out, size_t size, const char *names, const char *word);

/* Exit statuses; one is refused by a grammar or a template. */
enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_REFUSED = 3,
    EXIT_INTERRUPTED = 130 /* Ctrl-C, as a shell counts it */
};

/* Print a usage mistake, and return EXIT_USAGE. */
int wrong_usage(const Fault *fault, const char *usage);

/* The fault is a value on the command line: then command_failed prints a usage mistake.
 * Returns false. */
bool wrong_value(void);

/* Print "strata: text" and return EXIT_FAILED. */
int command_failed(const Fault *fault);

#endif
