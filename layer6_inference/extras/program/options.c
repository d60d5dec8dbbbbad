/* options.c - see options.h. */
#include "options.h"
#include "help/help.h"
#include "input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int wrong(const char *usage, const char *what, const char *which) {
    fprintf(stderr, "strata: %s '%s'; usage: strata %s (--help says more)\n", what, which,
            usage);
    return EXIT_USAGE;
}

/* "-n 1e3": what the option got, and what it wants. */
static int out_of_range(const Option *o, const char *text, const char *usage) {
    const char *what = o->kind.type == TYPE_REAL ? "a number" : "a whole number";
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
    if (isspace((unsigned char)*text)) return false; /* what strtod and strtol would skip */
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

/* Returns -1, or the exit status of a mistake. */
static int store(const Option *o, const char *text, const char *usage) {
    OptionList *list = o->value;
    if (!*text && o->metavar && strncmp(o->metavar, "FILE", 4) == 0) {
        fprintf(stderr, "strata: %s wants the name of a file, and got an empty one\n", o->name);
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
    const Option *option = option_shaped(text) ? option_find(line->options, text) : NULL;
    if (option && option->kind.type != TYPE_FLAG) ++*i;
    return option;
}

/* Among the words before the end-th? */
static bool was_given(const CommandLine *line, const Option *wanted, int end) {
    for (int i = 1; i < end && strcmp(line->argv[i], "--") != 0; i++)
        if (option_at(line, &i) == wanted) return true;
    return false;
}

bool command_line_has(const void *context, const char *name) {
    const CommandLine *line = context;
    const Option *option = option_find(line->options, name);
    return option && was_given(line, option, line->argc);
}

/* The first of the names that was asked for; "" for none. */
static Text first_asked(const char *names, Asked *asked, const void *context) {
    for (const char *at = names; *at;) {
        char name[64];
        size_t n = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (asked(context, name)) return (Text){at, n};
        at += n + (at[n] != 0);
    }
    return (Text){"", 0};
}

/* One of the others may be asked for by something else than an option. */
static bool needs_more(const OptionRule *r) {
    if (r->relation != NEEDS) return false;
    for (const char *at = r->others; at; at = strchr(at, ' '), at += at != NULL)
        if (*at != '-') return true;
    return false;
}

bool rules_check(const OptionRule *rules, Asked *asked, const void *context, Fault *fault) {
    for (const OptionRule *r = rules; r && r->name; r++) {
        char names[400];
        if ((asked == command_line_has && needs_more(r)) || !asked(context, r->name)) continue;
        Text other = first_asked(r->others, asked, context);
        names_join(names, sizeof names, r->others, "or");
        if (r->relation == NEEDS && !other.size)
            return fault_set(fault, "%s needs %s: %s", r->name, names, r->advice);
        if (r->relation == NOT_WITH && other.size)
            return fault_set(fault, "%s does not go with %.*s: %s", r->name, (int)other.size,
                             other.data, r->advice);
    }
    return true;
}

typedef struct Asking {
    const CommandLine *line;
    const char *word;
} Asking;

static bool is_asked_for(const void *context, const char *name) {
    const Asking *a = context;
    return name[0] == '-' ? command_line_has(a->line, name) : strcmp(name, a->word) == 0;
}

bool rules_check_word(const CommandLine *line, const char *word, Fault *fault) {
    return rules_check(line->rules, is_asked_for, &(Asking){line, word}, fault);
}

int wrong_usage(const Fault *fault, const char *usage) {
    fprintf(stderr, "strata: %s; usage: strata %s (--help says more)\n", fault->text, usage);
    return EXIT_USAGE;
}

static int read_words(const CommandLine *line, const char **rest, int *n_rest, int max_rest) {
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
            return wrong(line->usage, "given twice, and one value counts:", word);
        if (!option && !words && option_shaped(word)) return unknown_option(line, i);
        if (!option && *n_rest == max_rest) return unknown_word(line, word);
        if (!option)
            rest[(*n_rest)++] = word;
        else if (i == line->argc)
            return wrong(line->usage, "a value is missing after", word);
        int status = option ? store(option, line->argv[i], line->usage) : -1;
        if (status >= 0) return status;
    }
    return -1;
}

/* Does a word name the file that is to be written? */
static bool is_file(const char *word, const char *output) {
    return word && strcmp(output, "-") != 0 && file_same(word, output);
}

/* Does the value of an option? */
static bool names_file(const Option *o, const char *output) {
    if (o->kind.type == TYPE_TEXT || o->kind.type == TYPE_OUTPUT)
        return is_file(*(const char *const *)o->value, output);
    const OptionList *list = o->kind.type == TYPE_LIST ? o->value : NULL;
    for (size_t i = 0; list && i < list->count; i++)
        if (is_file(list->items[i], output)) return true;
    return false;
}

/* What is to be written is neither read nor written twice. */
static bool check_output(const CommandLine *line, const Option *o, const char *const *rest,
                         int n_rest, Fault *fault) {
    const char *output = *(const char *const *)o->value, *other = NULL;
    for (int i = 0; output && i < n_rest; i++)
        if (is_file(rest[i], output)) other = "another word";
    for (const Option *p = line->options; output && !other && p->name; p++)
        if (p != o && names_file(p, output)) other = p->name;
    return !other || fault_set(fault, "%s and %s are both %.200s: give each a name of its own",
                               o->name, other, output);
}

static bool check_outputs(const CommandLine *line, const char *const *rest, int n_rest,
                          Fault *fault) {
    for (const Option *o = line->options; o->name; o++)
        if (o->kind.type == TYPE_OUTPUT && !check_output(line, o, rest, n_rest, fault))
            return false;
    return true;
}

/* What standard input says in place of a prompt "-"; it stays until the program ends. */
static bool read_prompts(const Option *options, Fault *fault) {
    static char *input;
    size_t size;
    for (const Option *o = options; o->name; o++) {
        const char **prompt = o->value;
        if (o->kind.type != TYPE_PROMPT || !*prompt || strcmp(*prompt, "-") != 0) continue;
        if (!(input = read_standard_input(&size, fault))) return false;
        if (strlen(input) != size)
            return fault_set(fault, "standard input is no text: its byte %zu is zero",
                             strlen(input) + 1);
        if (size && input[size - 1] == '\n') input[size - 1] = 0;
        *prompt = input;
    }
    return true;
}

int command_line_read(const CommandLine *line, const char **rest, int min_rest, int max_rest) {
    int n_rest = 0, status = read_words(line, rest, &n_rest, max_rest);
    Fault fault;
    if (status >= 0) return status;
    if (n_rest < min_rest) {
        fprintf(stderr, "strata: something is missing; usage: strata %s (--help says more)\n",
                line->usage);
        return EXIT_USAGE;
    }
    if (!rules_check(line->rules, command_line_has, line, &fault) ||
        !check_outputs(line, rest, n_rest, &fault))
        return wrong_usage(&fault, line->usage);
    return read_prompts(line->options, &fault) ? -1 : command_failed(&fault);
}

int options_read(int argc, char **argv, const char *usage, const char *about,
                 const Option *options, const char **rest, int min_rest, int max_rest) {
    const CommandLine line = {argc, argv, usage, about, options, NULL};
    return command_line_read(&line, rest, min_rest, max_rest);
}

int command_failed(const Fault *fault) {
    fprintf(stderr, "strata: %s\n", fault->text);
    return EXIT_FAILED;
}
