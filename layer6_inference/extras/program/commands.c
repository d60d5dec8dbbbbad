/* commands.c - the list of commands, and what the program says of itself.  See commands.h. */
#include "commands.h"
#include "on_machines.h"
#include "help/help.h"

#include <string.h>

static const char chat[] = "strata-chat", convert[] = "strata-convert", lab[] = "strata-lab",
                  serve[] = "strata-serve";

static const CommandName list[] = {
    {"Write and talk", true, "generate", "continue a prompt with a model", NULL},
    {NULL, true, "chat", "chat with a model", chat},
    {NULL, true, "serve", "answer requests over HTTP, as OpenAI's API does", serve},
    {NULL, false, "diffuse", "fill in a text in any order with a diffusion model", NULL},
    {"Model files", true, "pull", "download a model by name or URL", NULL},
    {NULL, true, "inspect", "show what a model file contains", NULL},
    {NULL, true, "convert", "convert a published model to GGUF", convert},
    {NULL, false, "quantize", "rewrite a model in another number format", convert},
    {NULL, false, "dump", "print one tensor's values as raw floats", NULL},
    {"Choose tokens", true, "samplers", "list the samplers, or describe one", NULL},
    {NULL, false, "chain", "run a chain on given logits, stage by stage", NULL},
    {NULL, false, "compare", "measure chains on the same openings", lab},
    {NULL, false, "tune", "find the chain that suits documents of yours", lab},
    {NULL, false, "grammar", "test what a grammar or a pattern allows", NULL},
    {NULL, false, "watermark", "look for a watermark in a text", NULL},
    {"Texts and numbers", true, "tokenize", "convert text to token ids and back", NULL},
    {NULL, false, "template", "render a conversation with a chat template", NULL},
    {NULL, false, "logits", "print the logits of the next token", NULL},
    {NULL, false, "perplexity", "measure how well a model predicts a text", lab},
    {NULL, false, "embed", "turn texts into vectors and compare them", NULL},
    {NULL, false, "rerank", "rank documents by how well they answer a query", NULL},
    {"Learn and look inside", false, "train", "train a vocabulary and a model", lab},
    {NULL, false, "world", "generate, check and score Tiny World texts", lab},
    {NULL, true, "look", "see what happens to a text inside a model", lab},
    {NULL, false, "figure", "print the data behind the plots", lab},
    {"Speed", false, "bench", "measure the speed of the hot loops", lab},
    {NULL, false, "profile", "show where the time of a step goes", lab},
    {NULL, false, "simulate", "simulate many users, without a model, and how long they wait",
     lab},
};

enum { COMMANDS = sizeof list / sizeof *list };

const CommandName *command_find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, list[i].name) == 0) return &list[i];
    return NULL;
}

const Command *command_here(const char *name) {
    for (const Command *const *c = program_commands; *c; c++)
        if (strcmp(name, (*c)->name) == 0) return *c;
    return NULL;
}

int command_start(const CommandName *name, int argc, char **argv) {
    const Command *here = command_here(name->name);
    return here ? command_run_on_machines(here, argc, argv) : program_start(name, argv);
}

static void commands_print_row(FILE *out, const CommandName *command) {
    fprintf(out, "  %-10s %s\n", command->name, command->gloss);
}

void commands_brief(FILE *out) {
    fputs("usage: strata COMMAND ...\n"
          "\n"
          "  strata generate -p \"Once upon a time\"         a story by the small model that "
          "comes with it\n"
          "  strata generate -m MODEL.gguf --chat -p TEXT  an answer by a model of your own\n"
          "\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        if (list[i].first) commands_print_row(out, &list[i]);
    fprintf(out,
            "\nstrata help COMMAND: its options.  strata help --all: all %d commands.  strata "
            "--version: what this is.\n",
            COMMANDS);
}

void commands_all(FILE *out) {
    fputs("usage: strata COMMAND ...\n", out);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (list[i].group) fprintf(out, "\n%s\n\n", list[i].group);
        commands_print_row(out, &list[i]);
    }
    fputs("\nstrata help COMMAND: its options; strata help --all COMMAND: all of them.\n", out);
}

void commands_help(void) {
    puts("usage: strata help [--all] [COMMAND]\n\n"
         "  strata help                 the commands to begin with\n"
         "  strata help --all           all commands\n"
         "  strata help COMMAND         what it does, and its most common options\n"
         "  strata help --all COMMAND   all of its options, and which combine");
}

static const char *program_short(const char *program) {
    return strncmp(program, "strata-", 7) == 0 ? program + 7 : program;
}

static bool is_of_program(const CommandName *command, const char *program) {
    return command->program &&
           strcmp(program_short(program), program_short(command->program)) == 0;
}

bool commands_of(const char *program) {
    bool found = false;
    for (size_t i = 0; i < COMMANDS; i++) {
        if (!is_of_program(&list[i], program)) continue;
        if (!found) printf("strata starts the program %s for:\n\n", list[i].program);
        commands_print_row(stdout, &list[i]);
        found = true;
    }
    if (found) puts("\nstrata help COMMAND: its options.");
    return found;
}

static void man_commands(void) {
    for (size_t i = 0; i < COMMANDS; i++) {
        if (list[i].group) printf(".SS %s\n", list[i].group);
        printf(".TP\n\\fB%s\\fR\n", list[i].name);
        roff_text(list[i].gloss), putchar('\n');
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
    puts(".SH ENVIRONMENT\n"
         ".TP\n"
         "\\fBSTRATA_MODEL\\fR\n"
         "the default model, when there is no \\fB\\-m\\fR\n"
         ".TP\n"
         "\\fBSTRATA_MODELS\\fR\n"
         "the folder for downloaded models\n"
         ".TP\n"
         "\\fBSTRATA_ISA\\fR\n"
         "the instruction set, when there is no \\fB\\-\\-isa\\fR\n"
         ".SH EXIT STATUS\n"
         "0: success.  1: failure.  2: wrong usage.  3: refused by a grammar or template.  "
         "130: Ctrl-C.\n"
         ".SH SEE ALSO");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("\\fBstrata\\-%s\\fR(1)%s\n", list[i].name, i + 1 < COMMANDS ? "," : "");
}

static int top_words(const char *begun) {
    for (size_t i = 0; i < COMMANDS; i++) words_line(list[i].name, begun, list[i].gloss);
    words_line("help", begun, "describe a command and its options");
    if (*begun == '-') words_line("--help", begun, ""), words_line("--version", begun, "");
    return EXIT_DONE;
}

/* `world check --ki` becomes `world --help=words check --ki`; the words of `help` are
 * commands. */
int commands_words(int argc, char **argv) {
    enum { MOST = 1000 };
    static char asked[] = "--help=words";
    char *words[MOST + 2];
    int n = 0;
    if (argc && strcmp(argv[0], "help") == 0) argv++, argc--;
    if (argc < 2) return top_words(argc ? argv[0] : "");
    const CommandName *command = command_find(argv[0]);
    if (!command) return EXIT_DONE;
    for (int i = 0; i < argc && n < MOST; i++) {
        words[n++] = argv[i];
        if (i == 0) words[n++] = asked;
    }
    words[n] = NULL;
    return command_start(command, n, words);
}

/* Commands of other programs, and common guesses. */
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

/* A command that is not there is not recommended. */
static const char *commands_other_name(const char *name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char first[40];
        const char *meant = others[i].meant + strlen("strata ");
        snprintf(first, sizeof first, "%.*s", (int)strcspn(meant, " "), meant);
        if (names_have(others[i].names, name) && (*first == '-' || command_find(first)))
            return others[i].meant;
    }
    return NULL;
}

static const char *what_was_meant(const char *name, char *out, size_t size) {
    const char *end = strrchr(name, '.'), *other = commands_other_name(name);
    char names[600] = "help ";
    if (other) return other;
    if (end && strcmp(end, ".gguf") == 0)
        return snprintf(out, size, "strata generate -m %.100s", name), out;
    if (strchr(name, ' '))
        return snprintf(out, size, "strata generate -p \"%.100s\"", name), out;
    for (size_t i = 0; i < COMMANDS; i++) strcat(strcat(names, list[i].name), " ");
    for (size_t i = 0; i < COMMANDS; i++)
        if (is_of_program(&list[i], name))
            return snprintf(out, size, "strata help %s", list[i].program), out;
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
