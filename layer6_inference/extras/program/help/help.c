/* help.c - a command's help, short or whole.  See help.h. */
#include "help.h"
#include "command.h"

#include <stdio.h>
#include <string.h>

bool help_is_asked(const char *word) {
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 ||
           strncmp(word, "--help=", 7) == 0;
}

/* The words of the usage before what stands for something else: "world check [options]". */
void help_title(const CommandLine *line, char *out, size_t size) {
    size_t used = 0;
    *out = 0;
    for (const char *at = line->command->usage; *at;) {
        size_t n = strcspn(at, " ");
        if (strspn(at, "abcdefghijklmnopqrstuvwxyz") != n) break;
        used +=
            (size_t)snprintf(out + used, size - used, "%s%.*s", used ? " " : "", (int)n, at);
        at += n + (at[n] != 0);
    }
}

/* A range: "1 to 24".  Limits that are never reached are left out. */
void help_range(const Option *o, char *out, size_t size) {
    *out = 0;
    if (o->kind.type != TYPE_INT && o->kind.type != TYPE_REAL) return;
    if (o->kind.high < OPTION_MANY)
        snprintf(out, size, "; %.10g to %.10g", o->kind.low, o->kind.high);
    else if (o->kind.low > 0)
        snprintf(out, size, "; %.10g or more", o->kind.low);
}

static void print_option(const Option *o) {
    char left[64], range[80];
    snprintf(left, sizeof left, "%s %s", o->name, o->metavar ? o->metavar : "");
    help_range(o, range, sizeof range);
    printf("  %-22s %s%s\n", left, o->help, range);
}

static void print_rule(const OptionRule *rule) {
    char list[400], name[64];
    names_join(list, sizeof list, rule->others, "or");
    for (const char *names = rule->names; names_next(&names, name);)
        printf("  %s %s %s: %s\n", name, rule->relation == NEEDS ? "needs" : "does not go with",
               list, rule->advice);
}

static void help_print_all(const Command *command) {
    for (const Option *o = command->options; o->name; o++) print_option(o);
    printf("  %-22s %s\n", "--help", "this text");
    if (command->rules) printf("\nCombining options:\n\n");
    for (const OptionRule *r = command->rules; r && r->names; r++) print_rule(r);
}

static void print_brief(const Command *command) {
    size_t count = 1;
    char name[64];
    for (const char *names = command->brief; names_next(&names, name);) {
        const Option *option = option_find(command->options, name);
        REQUIRE(option, "the short help of %s names %s, which it does not have", command->name,
                name);
        print_option(option);
    }
    for (const Option *o = command->options; o->name; o++) count++;
    printf("\n"
           "strata help --all %s: all %zu options, and which combine.\n",
           command->name, count);
}

static void help_print_text(const Command *command, bool all) {
    printf("usage: strata %s\n\n%s\n\n", command->usage, command->about);
    for (const char *const *example = command->examples; *example; example++)
        printf("  %s\n", *example);
    if (command->examples[0]) putchar('\n');
    if (all || !command->brief)
        help_print_all(command);
    else
        print_brief(command);
}

int help_print(const CommandLine *line, int i) {
    const char *word = line->argv[i], *form = word[1] == 'h' || !word[6] ? "" : word + 7;
    if (strcmp(form, "words") == 0)
        help_words(line, i);
    else if (strcmp(form, "man") == 0)
        help_man(line);
    else if (strcmp(form, "all") == 0 || word[1] == 'h' || !word[6])
        help_print_text(line->command, strcmp(form, "all") == 0);
    else {
        fprintf(stderr, "strata: --help is '%.40s': wanted all, man or words\n", form);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
