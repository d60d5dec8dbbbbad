/* options.c - see options.h. */
#include "command.h"
#include "file_same.h"
#include "help/help.h"
#include "input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool names_have(const char *names, const char *word) {
    size_t n = strlen(word);
    for (const char *at = names; at && n; at = strchr(at, ' '), at += at != NULL)
        if (strncmp(at, word, n) == 0 && (at[n] == ' ' || !at[n])) return true;
    return false;
}

bool names_next(const char **names, char name[64]) {
    size_t n = strcspn(*names, " ");
    snprintf(name, 64, "%.*s", (int)n, *names);
    *names += n + ((*names)[n] != 0);
    return n > 0;
}

void names_join(char *out, size_t size, const char *names, const char *word) {
    size_t used = 0;
    for (const char *at = names; *at && used < size;) {
        size_t n = strcspn(at, " ");
        bool last = !at[n] || !strchr(at + n + 1, ' ');
        used += (size_t)snprintf(out + used, size - used, "%.*s", (int)n, at);
        if (!at[n] || used >= size) break;
        used += (size_t)snprintf(out + used, size - used, last ? " %s " : ", ", word);
        at += n + 1;
    }
}

static int options_wrong(const char *usage, const char *what, const char *which) {
    fprintf(stderr, "strata: %s '%s'; usage: strata %s (--help says more)\n", what, which,
            usage);
    return EXIT_USAGE;
}

/* "-n 1e3": got and wanted. */
static int out_of_range(const Option *o, const char *text, const char *usage) {
    const char *what = o->kind.type == TYPE_REAL ? "a number" : "an integer";
    fprintf(stderr, "strata: %s is '%.60s': wanted %s from ", o->name, text, what);
    if (o->kind.type == TYPE_SEED)
        fprintf(stderr, "0 to %llu", (unsigned long long)UINT64_MAX);
    else
        fprintf(stderr, "%.10g to %.10g", o->kind.low, o->kind.high);
    fprintf(stderr, "; usage: strata %s (--help says more)\n", usage);
    return EXIT_USAGE;
}

/* Every NaN is outside, too. */
static bool store_number(const Option *o, const char *text) {
    char *end;
    double number;
    if (isspace((unsigned char)*text)) return false; /* which strtod and strtol would skip */
    errno = 0;
    if (o->kind.type == TYPE_REAL) {
        *(double *)o->value = number = strtod(text, &end);
    } else if (o->kind.type == TYPE_INT) {
        *(long *)o->value = strtol(text, &end, 10);
        number = (double)*(long *)o->value;
    } else {
        *(uint64_t *)o->value = strtoull(text, &end, 10);
        return *text >= '0' && *text <= '9' && !*end && !errno;
    }
    return *text && !*end && !errno && number >= o->kind.low && number <= o->kind.high;
}

static bool is_name(const char *metavar) {
    return strcmp(metavar, "NAME") == 0 || strcmp(metavar, "FOLDER") == 0 ||
           strcmp(metavar, "DIR") == 0;
}

/* Returns -1, or an exit status. */
static int options_store(const Option *o, const char *text, const char *usage) {
    OptionList *list = o->value;
    if (!*text && o->metavar && strncmp(o->metavar, "FILE", 4) == 0) {
        fprintf(stderr, "strata: %s: empty file name\n", o->name);
        return EXIT_USAGE;
    }
    if (!*text && o->metavar && is_name(o->metavar)) {
        fprintf(stderr, "strata: %s is empty: wanted %s (--help says more)\n", o->name,
                o->metavar);
        return EXIT_USAGE;
    }
    switch (o->kind.type) {
    case TYPE_TEXT:
    case TYPE_OUTPUT:
    case TYPE_PROMPT: *(const char **)o->value = text; break;
    case TYPE_FLAG: *(bool *)o->value = true; break;
    case TYPE_LIST:
        if (list->count == OPTION_LIST) {
            fprintf(stderr, "strata: %s was given more than %d times\n", o->name, OPTION_LIST);
            return EXIT_USAGE;
        }
        list->items[list->count++] = text;
        break;
    case TYPE_INT:
    case TYPE_SEED:
    case TYPE_REAL:
        if (!store_number(o, text)) return out_of_range(o, text, usage);
    }
    return -1;
}

/* An option may have two names: "-t, --threads". */
bool option_is_called(const Option *o, const char *name) {
    size_t first = strcspn(o->name, ",");
    return (strlen(name) == first && memcmp(o->name, name, first) == 0) ||
           (o->name[first] && strcmp(o->name + first + 2, name) == 0);
}

const Option *option_find(const Option *options, const char *name) {
    for (const Option *o = options; o->name; o++)
        if (option_is_called(o, name)) return o;
    return NULL;
}

bool option_shaped(const char *text) {
    return text[0] == '-' && text[1] != 0 && !(text[1] >= '0' && text[1] <= '9');
}

const Option *option_at(const CommandLine *line, int *i) {
    const char *text = line->argv[*i];
    const Option *option =
        option_shaped(text) ? option_find(line->command->options, text) : NULL;
    if (option && option->kind.type != TYPE_FLAG) ++*i;
    return option;
}

/* Among the words before the end-th? */
static bool was_given(const CommandLine *line, const Option *wanted, int end) {
    for (int i = 1; i < end && strcmp(line->argv[i], "--") != 0; i++)
        if (option_at(line, &i) == wanted) return true;
    return false;
}

bool named_file(const char *text, Text *name, const char **file) {
    const char *equal = strchr(text, '=');
    if (!equal) return false;
    *name = (Text){text, (size_t)(equal - text)}, *file = equal + 1;
    return name->size && **file;
}

static const CommandLine *options_line; /* that was read */

bool option_given(const char *name) {
    const Option *option = option_find(options_line->command->options, name);
    return option && was_given(options_line, option, options_line->argc);
}

static bool is_asked_for(const char *name, Asked *asked, const void *context) {
    return name[0] == '-' ? option_given(name) : asked && asked(context, name);
}

/* The first of the names that was asked for; false for none. */
static bool first_asked(const char *names, Asked *asked, const void *context, char name[64]) {
    while (names_next(&names, name))
        if (is_asked_for(name, asked, context)) return true;
    return false;
}

/* One of the others may be asked for by something else than an option. */
static bool needs_more(const OptionRule *r) {
    char name[64];
    for (const char *names = r->others; r->relation == NEEDS && names_next(&names, name);)
        if (*name != '-') return true;
    return false;
}

static bool rule_check(const OptionRule *r, const char *name, Asked *asked, const void *context,
                       Fault *fault) {
    char names[400], other[64];
    if (!is_asked_for(name, asked, context)) return true;
    bool found = first_asked(r->others, asked, context, other);
    if (found == (r->relation == NEEDS)) return true;
    if (found) return fault_set(fault, "%s does not go with %s: %s", name, other, r->advice);
    names_join(names, sizeof names, r->others, "or");
    return fault_set(fault, "%s needs %s: %s", name, names, r->advice);
}

/* The command fails as one that was used wrongly. */
static bool used_wrongly;

bool wrong_value(void) { return used_wrongly = true, false; }

bool rules_check(const OptionRule *rules, Asked *asked, const void *context, Fault *fault) {
    char name[64];
    for (const OptionRule *r = rules; r && r->names; r++)
        for (const char *names = r->names;
             (asked || !needs_more(r)) && names_next(&names, name);)
            if (!rule_check(r, name, asked, context, fault)) return wrong_value();
    return true;
}

bool chain_has(const void *context, const char *name) {
    const Chain *chain = context;
    for (size_t i = 0; i < chain->count; i++)
        if (strcmp(chain->stages[i].kind->name, name) == 0 && !stage_is_off(&chain->stages[i]))
            return true;
    return false;
}

int wrong_usage(const Fault *fault, const char *usage) {
    fprintf(stderr, "strata: %s; usage: strata %s (--help says more)\n", fault->text, usage);
    return EXIT_USAGE;
}

/* Store options and words; *n words. */
static int options_read_words(const CommandLine *line, int *n) {
    const Command *command = line->command;
    bool words = false; /* behind "--" all are */
    for (int i = 1; i < line->argc; i++) {
        const char *word = line->argv[i];
        if (!words && strcmp(word, "--") == 0) {
            words = true;
            continue;
        }
        if (!words && help_is_asked(word)) return help_print(line, i);
        int at = i;
        const Option *option = words ? NULL : option_at(line, &i);
        bool one = option && option->kind.type != TYPE_LIST && option->kind.type != TYPE_FLAG;
        if (one && was_given(line, option, at))
            return options_wrong(command->usage, "option given twice:", word);
        if (!option && !words && option_shaped(word)) return unknown_option(line, i);
        if (!option && *n == command->max_words) return unknown_word(line, word);
        if (!option)
            command->words[(*n)++] = word;
        else if (i == line->argc)
            return options_wrong(command->usage, "missing value after", word);
        int status = option ? options_store(option, line->argv[i], command->usage) : -1;
        if (status >= 0) return status;
    }
    return -1;
}

/* Does a word name the file that is to be written? */
static bool is_file(const char *word, const char *output) {
    return word && strcmp(output, "-") != 0 && file_same(word, output);
}

static bool names_file(const Option *o, const char *output) {
    if (o->kind.type == TYPE_TEXT || o->kind.type == TYPE_OUTPUT)
        return is_file(*(const char *const *)o->value, output);
    const OptionList *list = o->kind.type == TYPE_LIST ? o->value : NULL;
    for (size_t i = 0; list && i < list->count; i++)
        if (is_file(list->items[i], output)) return true;
    return false;
}

/* An output file must not also be read or written by another option. */
static bool check_output(const Command *command, const Option *o, int n_words, Fault *fault) {
    const char *output = *(const char *const *)o->value, *other = NULL;
    for (int i = 0; output && i < n_words; i++)
        if (is_file(command->words[i], output)) other = "another word";
    for (const Option *p = command->options; output && !other && p->name; p++)
        if (p != o && names_file(p, output)) other = p->name;
    return !other || fault_set(fault, "%s and %s are both %.200s: give them different names",
                               o->name, other, output);
}

static bool check_outputs(const Command *command, int n_words, Fault *fault) {
    for (const Option *o = command->options; o->name; o++)
        if (o->kind.type == TYPE_OUTPUT && !check_output(command, o, n_words, fault))
            return false;
    return true;
}

/* Standard input for a prompt "-"; kept until the program ends. */
static bool options_read_prompts(const Option *options, Fault *fault) {
    static char *input;
    size_t size;
    for (const Option *o = options; o->name; o++) {
        const char **prompt = o->value;
        if (o->kind.type != TYPE_PROMPT || !*prompt || strcmp(*prompt, "-") != 0) continue;
        if (!(input = read_standard_input(&size, fault))) return false;
        if (strlen(input) != size)
            return fault_set(fault, "standard input: byte %zu is zero: wanted text",
                             strlen(input) + 1);
        if (size && input[size - 1] == '\n') input[size - 1] = 0;
        *prompt = input;
    }
    return true;
}

static bool check_words(const Command *command, int n, Fault *fault) {
    if (n >= command->min_words) return true;
    if (command->has_kinds)
        return fault_set(fault, "%s: wanted one of the names in the usage", command->name);
    return fault_set(fault, "%s: wanted %d argument%s, got %d", command->name,
                     command->min_words, command->min_words == 1 ? "" : "s", n);
}

int command_line_read(const CommandLine *line) {
    const Command *command = line->command;
    int n_words = 0, status = options_read_words(line, &n_words);
    Fault fault;
    if (status >= 0) return status;
    options_line = line;
    if (!check_words(command, n_words, &fault) ||
        !rules_check(command->rules, NULL, NULL, &fault) ||
        !check_outputs(command, n_words, &fault))
        return wrong_usage(&fault, command->usage);
    return options_read_prompts(command->options, &fault) ? -1 : command_failed(&fault);
}

int command_failed(const Fault *fault) {
    if (used_wrongly) return wrong_usage(fault, options_line->command->usage);
    fprintf(stderr, "strata: %s\n", fault->text);
    return EXIT_FAILED;
}
