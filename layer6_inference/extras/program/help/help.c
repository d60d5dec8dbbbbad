/* help.c - a command's help, short or whole.  See help.h. */
#include "help.h"
#include "command.h"

#include <stdio.h>
#include <string.h>

/* What most people need of commands with many options, and lines to try. */
static const struct {
    const char *title, *options;
    const char *examples[4];
} briefs[] = {
    {"generate",
     "-m -p -n --chain --seed --chat --stop --schema --ctx --draft --quiet --threads",
     {"strata generate -p \"Mia was a\" -n 60 --seed 7",
      "strata generate --chain top_k:40,temp:0.7",
      "strata generate -m MODEL.gguf --chat -p \"Why is the sky blue?\""}},
    {"chat",
     "-m -n --chain --seed --system --load --ctx --threads",
     {"strata chat -m MODEL.gguf", "strata chat -m MODEL.gguf --system \"Answer in rhymes.\""}},
    {"serve",
     "-m --host --port --ctx --places --chain --alias --keys --threads",
     {"strata serve -m MODEL.gguf --port 8080"}},
    {"train",
     "--out --size --corpus --from --lora --steps --seed --checkpoint --resume --log --threads",
     {"strata train --out my.gguf --size draft --steps 200",
      "strata train --out my.gguf --corpus TEXT --checkpoint my.run --resume"}},
    {"bench",
     "-m -p -n --seconds --csv --threads",
     {"strata bench model -m MODEL.gguf", "strata bench matmul"}},
    {"compare",
     "--chains -m -p --documents --seeds -n --csv --html --threads",
     {"strata compare --chains greedy balanced top_p:0.9"}},
    {"simulate",
     "--costs --users --every --seconds --policy --places --machines --csv",
     {"strata bench serve --costs costs.csv", "strata simulate --costs costs.csv --users 200"}},
};

static size_t find_brief(const char *title) {
    size_t i = 0, count = sizeof briefs / sizeof *briefs;
    while (i < count && strcmp(title, briefs[i].title) != 0) i++;
    return i < count ? i : count;
}

const char *const *help_examples(const char *title) {
    size_t brief = find_brief(title);
    return brief < sizeof briefs / sizeof *briefs ? briefs[brief].examples : NULL;
}

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
    char names[400];
    names_join(names, sizeof names, rule->others, "or");
    printf("  %s %s %s: %s\n", rule->name,
           rule->relation == NEEDS ? "needs" : "does not go with", names, rule->advice);
}

static void print_examples(const char *const *examples) {
    if (!examples) return;
    for (; *examples; examples++) printf("  %s\n", *examples);
    putchar('\n');
}

static void help_print_all(const CommandLine *line) {
    for (const Option *o = line->command->options; o->name; o++) print_option(o);
    printf("  %-22s %s\n", "--help", "this text");
    if (line->command->rules) printf("\nCombining options:\n\n");
    for (const OptionRule *r = line->command->rules; r && r->name; r++) print_rule(r);
}

static void print_brief(const CommandLine *line, size_t brief) {
    size_t count = 1;
    for (const char *at = briefs[brief].options; *at;) {
        char name[64];
        size_t n = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        const Option *option = option_find(line->command->options, name);
        REQUIRE(option, "the short help of %s names %s, which it does not have",
                briefs[brief].title, name);
        print_option(option);
        at += n + (at[n] != 0);
    }
    for (const Option *o = line->command->options; o->name; o++) count++;
    printf("\nstrata %s --help=all: all %zu options, and which combine.\n", briefs[brief].title,
           count);
}

static void help_print_text(const CommandLine *line, bool all) {
    char title[64];
    help_title(line, title, sizeof title);
    size_t brief = find_brief(title);
    printf("usage: strata %s\n\n%s\n\n", line->command->usage, line->command->about);
    print_examples(help_examples(title));
    if (all || brief == sizeof briefs / sizeof *briefs)
        help_print_all(line);
    else
        print_brief(line, brief);
}

int help_print(const CommandLine *line, int i) {
    const char *word = line->argv[i], *form = word[1] == 'h' || !word[6] ? "" : word + 7;
    if (strcmp(form, "words") == 0)
        help_words(line, i);
    else if (strcmp(form, "man") == 0)
        help_man(line);
    else if (strcmp(form, "all") == 0 || word[1] == 'h' || !word[6])
        help_print_text(line, strcmp(form, "all") == 0);
    else {
        fprintf(stderr, "strata: --help is '%.40s': wanted all, man or words\n", form);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
