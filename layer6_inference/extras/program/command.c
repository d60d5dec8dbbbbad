/* command.c - see command.h. */
#include "command.h"

#include <stdio.h>
#include <string.h>

const Command *command_part(const Command *command, const char *word) {
    for (const Command *const *part = command->parts; part && *part; part++)
        if (strcmp(word, (*part)->name) == 0) return *part;
    return NULL;
}

/* The kinds in the usage, "bench matmul|samplers [options]", separated by spaces. */
static void list_kinds(const Command *command, char *out, size_t size) {
    const char *at = command->usage + strlen(command->name) + 1;
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
    for (char *bar; (bar = strchr(out, '|'));) *bar = ' ';
}

/* A rule's name that is no option is a kind. */
static bool is_kind(const void *context, const char *name) {
    return strcmp(context, name) == 0;
}

/* Returns -1, or an exit status. */
static int command_check_kind(const Command *command, const char *kind) {
    char kinds[300], list[400], hint[80];
    Fault fault;
    list_kinds(command, kinds, sizeof kinds);
    names_join(list, sizeof list, kinds, "and");
    if (!names_have(kinds, kind)) {
        fprintf(stderr, "strata: %s: unknown '%.40s': wanted %s%s\n", command->name, kind, list,
                nearest_hint(hint, sizeof hint, text_of(kind), kinds));
        return EXIT_USAGE;
    }
    return rules_check(command->rules, is_kind, kind, &fault)
               ? -1
               : wrong_usage(&fault, command->usage);
}

/* "strata world xx" */
static bool is_near_part(const Command *command, const char *word) {
    char names[200] = "", hint[80];
    for (const Command *const *part = command->parts; part && *part; part++)
        strcat(strcat(names, *names ? " " : ""), (*part)->name);
    if (!*names || option_shaped(word) ||
        !*nearest_hint(hint, sizeof hint, text_of(word), names))
        return false;
    fprintf(stderr, "strata: unexpected argument '%.40s'%s strata %s --help says more\n", word,
            hint, command->name);
    return true;
}

/* --ladder is the ladder, too. */
static void drop_dashes(const Command *command, char **word) {
    char kinds[300];
    list_kinds(command, kinds, sizeof kinds);
    if (strncmp(*word, "--", 2) == 0 && names_have(kinds, *word + 2)) *word += 2;
}

int command_run(const Command *command, int argc, char **argv) {
    const CommandLine line = {argc, argv, command};
    const Command *part = argc > 1 ? command_part(command, argv[1]) : NULL;
    Fault fault;
    if (part) return command_run(part, argc - 1, argv + 1);
    if (argc > 1 && is_near_part(command, argv[1])) return EXIT_USAGE;
    if (argc > 1 && command->has_kinds) drop_dashes(command, &argv[1]);
    int status = command_line_read(&line);
    if (status < 0 && command->has_kinds)
        status = command_check_kind(command, command->words[0]);
    if (status >= 0) return status;
    if (command->check && !command->check(&fault)) return wrong_usage(&fault, command->usage);
    if (command->run_status) return command->run_status();
    return command->run(&fault) ? EXIT_DONE : command_failed(&fault);
}
