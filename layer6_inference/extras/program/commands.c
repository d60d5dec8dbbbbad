/* commands.c - the list of commands, and what the program says of itself.  See commands.h. */
#include "commands.h"
#include "help/help.h"

#include <string.h>

/* The first one of a group names it; what a newcomer needs is told first. */
static const struct {
    const char *group;
    bool first;
    const Command *command;
} list[] = {
    {"Write and talk", true, &command_generate},
    {NULL, true, &command_chat},
    {NULL, true, &command_serve},
    {NULL, false, &command_diffuse},
    {"Model files", true, &command_pull},
    {NULL, true, &command_inspect},
    {NULL, true, &command_convert},
    {NULL, false, &command_quantize},
    {NULL, false, &command_dump},
    {"Choose tokens", true, &command_samplers},
    {NULL, false, &command_chain},
    {NULL, false, &command_compare},
    {NULL, false, &command_grammar},
    {NULL, false, &command_watermark},
    {"Texts and numbers", true, &command_tokenize},
    {NULL, false, &command_template},
    {NULL, false, &command_logits},
    {NULL, false, &command_perplexity},
    {NULL, false, &command_embed},
    {NULL, false, &command_rerank},
    {"Learn and look inside", false, &command_train},
    {NULL, false, &command_world},
    {NULL, true, &command_look},
    {NULL, false, &command_figure},
    {"Speed", false, &command_bench},
    {NULL, false, &command_profile},
    {NULL, false, &command_simulate},
};

enum { COMMANDS = sizeof list / sizeof *list };

const Command *command_find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, list[i].command->name) == 0) return list[i].command;
    return NULL;
}

static void print_row(FILE *out, const Command *command) {
    fprintf(out, "  %-10s %s\n", command->name, command->gloss);
}

void commands_brief(FILE *out) {
    fputs(
        "usage: strata COMMAND ...\n\n"
        "  strata generate -p \"Once upon a time\"         a story, by the small model in the "
        "box\n"
        "  strata generate -m MODEL.gguf --chat -p TEXT  an answer, by a model of yours\n\n",
        out);
    for (size_t i = 0; i < COMMANDS; i++)
        if (list[i].first) print_row(out, list[i].command);
    fprintf(out,
            "\nstrata help COMMAND: its options.  strata help --all: all %d commands.  strata "
            "--version: what this is.\n",
            COMMANDS);
}

void commands_all(FILE *out) {
    fputs("usage: strata COMMAND ...\n", out);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (list[i].group) fprintf(out, "\n%s\n\n", list[i].group);
        print_row(out, list[i].command);
    }
    fputs("\nstrata help COMMAND: its options; strata help --all COMMAND: all of them.\n", out);
}

static void man_commands(void) {
    for (size_t i = 0; i < COMMANDS; i++) {
        if (list[i].group) printf(".SS %s\n", list[i].group);
        printf(".TP\n\\fB%s\\fR\n", list[i].command->name);
        roff_text(list[i].command->gloss), putchar('\n');
    }
}

void commands_man(void) {
    roff_head("strata");
    puts("run, study and train language models\n.nh\n.ad l\n.SH SYNOPSIS\n\\fBstrata\\fR "
         "\\fICOMMAND\\fR ...\n.br\n"
         "\\fBstrata help\\fR [\\fB\\-\\-all\\fR] [\\fICOMMAND\\fR]\n.br\n"
         "\\fBstrata \\-\\-version\\fR\n.SH DESCRIPTION\n"
         "Each command has a man page: \\fBstrata\\-generate\\fR(1).\n.SH COMMANDS");
    man_commands();
    puts(".SH ENVIRONMENT\n.TP\n\\fBSTRATA_MODEL\\fR\nthe model where none is named with "
         "\\fB\\-m\\fR\n.TP\n\\fBSTRATA_ISA\\fR\nthe instruction set where none is named with "
         "\\fB\\-\\-isa\\fR\n.SH EXIT STATUS\n"
         "0: done.  1: it failed.  2: the command was called in a wrong way.\n.SH SEE ALSO");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("\\fBstrata\\-%s\\fR(1)%s\n", list[i].command->name,
               i + 1 < COMMANDS ? "," : "");
}

/* Is the word one of a command's own words? */
static bool is_word_of(const Command *command, const char *word) {
    size_t n = strlen(word);
    for (const char *at = command->words; at && n; at = strchr(at, ' '), at += at != NULL)
        if (strncmp(at, word, n) == 0 && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static void put_words(const char *words, const char *begun) {
    char word[40];
    for (const char *at = words; at; at = strchr(at, ' '), at += at != NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
        words_line(word, begun, "");
    }
}

static int top_words(const char *begun) {
    for (size_t i = 0; i < COMMANDS; i++)
        words_line(list[i].command->name, begun, list[i].command->gloss);
    words_line("help", begun, "what a command does, and its options");
    if (*begun == '-') put_words("--help --version", begun);
    return EXIT_DONE;
}

/* `world check --ki` becomes `world check --help=words --ki`; the words of `help` are
 * commands. */
int commands_words(int argc, char **argv) {
    enum { MOST = 1000 };
    static char asked[] = "--help=words";
    char *words[MOST + 4];
    int n = 0, i = 0;
    if (argc && strcmp(argv[0], "help") == 0) argv++, argc--;
    if (argc < 2) return top_words(argc ? argv[0] : "");
    const Command *command = command_find(argv[0]);
    if (!command) return EXIT_DONE;
    words[n++] = argv[i++];
    if (argc > 2 && is_word_of(command, argv[1]))
        words[n++] = argv[i++];
    else if (argc == 2)
        put_words(command->words, argv[1]);
    words[n++] = asked;
    while (i < argc && n < MOST) words[n++] = argv[i++];
    words[n] = NULL;
    fflush(stdout); /* before a program takes this one's place */
    return command->run(n, words);
}

/* What other programs call their commands, and what people try. */
static const struct {
    const char *names, *meant;
} others[] = {
    {"run cli main complete completion ask prompt infer write story",
     "strata generate -p TEXT"},
    {"talk converse interactive conversation", "strata chat"},
    {"server api web http", "strata serve"},
    {"ls list models ps search download fetch get install", "strata pull"},
    {"show info stat metadata gguf", "strata inspect FILE"},
    {"create import export hf", "strata convert FOLDER OUT.gguf"},
    {"compress", "strata quantize IN.gguf OUT.gguf TYPE"},
    {"encode tok detokenize decode", "strata tokenize"},
    {"embedding embeddings vector", "strata embed"},
    {"ppl evaluate eval", "strata perplexity"},
    {"finetune fine-tune learn pretrain lora", "strata train --out FILE"},
    {"speed benchmark", "strata bench"},
    {"stages presets sampling", "strata samplers"},
    {"schema json regex gbnf", "strata grammar"},
    {"version", "strata --version"},
};

static bool is_among(const char *names, const char *word) {
    const Command all = {.words = names};
    return is_word_of(&all, word);
}

/* A command that is not there is not recommended. */
static const char *other_name(const char *name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char first[40];
        const char *meant = others[i].meant + strlen("strata ");
        snprintf(first, sizeof first, "%.*s", (int)strcspn(meant, " "), meant);
        if (is_among(others[i].names, name) && (*first == '-' || command_find(first)))
            return others[i].meant;
    }
    return NULL;
}

static const char *what_was_meant(const char *name, char *out, size_t size) {
    const char *end = strrchr(name, '.'), *other = other_name(name);
    char names[600] = "help ";
    if (other) return other;
    if (end && strcmp(end, ".gguf") == 0)
        return snprintf(out, size, "strata generate -m %.100s", name), out;
    if (strchr(name, ' '))
        return snprintf(out, size, "strata generate -p \"%.100s\"", name), out;
    for (size_t i = 0; i < COMMANDS; i++) strcat(strcat(names, list[i].command->name), " ");
    Text near = nearest_name(text_of(name), names);
    return near.size ? (snprintf(out, size, "strata %.*s", (int)near.size, near.data), out)
                     : NULL;
}

int command_unknown(const char *name) {
    char text[160];
    const char *meant = what_was_meant(name, text, sizeof text);
    fprintf(stderr, "strata: no command '%.60s'%s%s%s strata help --all lists the commands\n",
            name, meant ? ": did you mean " : ";", meant ? meant : "", meant ? "?" : "");
    return EXIT_USAGE;
}
