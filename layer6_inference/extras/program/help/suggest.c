/* suggest.c - unknown options and arguments: what was probably meant.  See help.h. */
#include "help.h"
#include "command.h"

#include "inference.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MEANT = 300 };

/* Names of options in llama.cpp, Ollama and others (without dashes, lower case), and ours:
 * tried in order, skipped if the command lacks the option.  Entries without a dash are
 * printed as they are. */
static const struct {
    const char *names, *ours;
} others[] = {
    {"model mod", "-m"},
    {"prompt text", "-p"},
    {"npredict predict numpredict ntokens maxtokens maxnewtokens maxlength length n", "-n"},
    {"c ctxsize nctx numctx context contextsize contextlength", "--ctx"},
    {"s rngseed randomseed", "--seed"},
    {"threadsbatch tb nthreads numthread numthreads j", "--threads"},
    {"r reverseprompt stopsequence stopsequences", "--stop"},
    {"sys systemprompt", "--system"},
    {"mmprojector vision", "--mmproj"},
    {"lora lorascaled loras", "--adapter"},
    {"md modeldraft draftmodel", "--draft"},
    {"draftmax draftn draftlength", "--guess"},
    {"cachetypek cachetypev ctk ctv kvcache", "--kv"},
    {"grammarfile gbnf", "--grammar"},
    {"grammar grammarfile", "--gbnf"},
    {"j jsonschema jsonschemafile", "--schema"},
    {"beamsize numbeams beamwidth", "--beams"},
    {"smc numparticles sequentialmontecarlo", "--particles"},
    {"asap grammaraligned aligneddecoding", "--aligned"},
    {"parallel np", "--places"},
    {"apikey apikeyfile", "--keys"},
    {"listen address bind", "--host"},
    {"chattemplate chattemplatefile", "--form"},
    {"o output outfile", "--out"},
    {"lr learningrate", "--rate"},
    {"epochs iterations iters", "--steps"},
    {"batchsize", "--batch"},
    {"data dataset traindata", "--corpus"},
    {"tokenizer", "--vocab-from"},
    {"img images picture", "--image"},
    {"q silent logdisable nodisplayprompt", "--quiet"},
    {"contextshift", "--shift"},
    {"samplers samplingseq samplerseq", "--chain"},
    {"chains", "--chain"},
    {"chain", "--chains"},
    {"instruct", "--chat"},
    {"ngl gpulayers ngpulayers device dev maingpu", "strata runs on the CPU: leave it out"},
    {"i interactive interactivefirst cnv conversation", "strata chat is interactive"},
    {"hf hfrepo hffile mu modelurl", "strata pull downloads a model"},
    {"f file", "read a file as standard input, < FILE; a prompt as -p - < FILE"},
    {"version v", "strata --version prints it"},
    {"helpall usage", "--help=all lists all options"},
};

/* "--n-predict" is "npredict". */
static void suggest_squeeze(const char *word, size_t size, char *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < size && n + 1 < room; i++)
        if (word[i] != '-' && word[i] != '_') out[n++] = (char)tolower((unsigned char)word[i]);
    out[n] = 0;
}

/* A value as one would type it, quoted for a shell if needed. */
static const char *quoted(const char *value, char *out, size_t size) {
    const char *safe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:,=+@%-";
    bool plain = *value && strspn(value, safe) == strlen(value);
    char sign = strpbrk(value, "\"$`\\!") && !strchr(value, '\'') ? '\'' : '"';
    if (plain)
        snprintf(out, size, "%.60s", value);
    else
        snprintf(out, size, "%c%.60s%s%c", sign, value, strlen(value) > 60 ? "..." : "", sign);
    return out;
}

/* An option with the given value, or with its placeholder. */
static bool ask_option(const Option *o, const char *name, const char *value, char *out) {
    char text[80];
    if (o->kind.type == TYPE_FLAG)
        snprintf(out, MEANT, "did you mean %s?", name);
    else
        snprintf(out, MEANT, "did you mean %s %s?", name,
                 value ? quoted(value, text, sizeof text) : o->metavar);
    return true;
}

static bool meant_other(const CommandLine *line, const char *plain, const char *value,
                        char *out) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *ours = others[i].ours;
        if (!names_have(others[i].names, plain)) continue;
        const Option *option = option_find(line->command->options, ours);
        if (option) return ask_option(option, ours, value, out);
        if (ours[0] != '-' || strchr(ours, ' ')) return snprintf(out, MEANT, "%s.", ours) > 0;
    }
    return false;
}

/* "json:" needs no value, "top_k:" does: add one, or drop the colon. */
static void add_value(char *stage, size_t size, const char *value) {
    const size_t used = strlen(stage), name = strcspn(stage, ":");
    const StageKind *kind = stage_find((Text){stage, name});
    const bool needs = kind && (kind->params[0].required || kind->list > LIST_BREAKS);
    const char *file = kind && names_have("grammar json_schema tags", kind->name) ? "@" : "";
    char text[80];
    if (name == used) return; /* it takes none */
    if (value)
        snprintf(stage + used, size - used, "%s%s", file, quoted(value, text, sizeof text));
    else if (needs || stage[used - 1] == '=')
        snprintf(stage + used, size - used, "X");
    else
        stage[name] = 0;
}

/* Samplers are stages of a chain: --temp 0.7 is --chain temp:0.7. */
static bool meant_stage(const CommandLine *line, Text name, const char *value, bool near,
                        char *out) {
    char stage[200] = "";
    const char *chain = option_find(line->command->options, "--chain") ? "--chain" : "--chains";
    if (!option_find(line->command->options, chain) ||
        !(near ? chain_meant : chain_meant_alias)(name, stage, sizeof stage))
        return false;
    add_value(stage, sizeof stage, value);
    return snprintf(out, MEANT, "did you mean %s %s?", chain, stage) > 0;
}

static bool meant_near(const CommandLine *line, Text name, const char *value, char *out) {
    char names[3000] = "", found[64];
    size_t n = 0;
    for (const Option *o = line->command->options; o->name && n < sizeof names; o++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s, ", o->name);
    Text near = nearest_name(name, names);
    if (!near.size) return false;
    snprintf(found, sizeof found, "%.*s", (int)near.size, near.data);
    return ask_option(option_find(line->command->options, found), found, value, out);
}

/* "-n50": a value without a space before it. */
static bool meant_apart(const CommandLine *line, const char *word, char *out) {
    char name[3] = {word[0], word[1], 0};
    const Option *option =
        word[1] != '-' && word[2] ? option_find(line->command->options, name) : NULL;
    if (!option || option->kind.type == TYPE_FLAG) return false;
    return ask_option(option, name, word + 2 + (word[2] == '='), out);
}

/* The value in the next argument or after '='. */
static const char *suggest_value_of(const CommandLine *line, int i) {
    const char *equal = strchr(line->argv[i], '='), *next = line->argv[i + 1];
    if (equal) return equal + 1;
    return i + 1 < line->argc && !option_shaped(next) ? next : NULL;
}

static bool meant(const CommandLine *line, int i, char *out) {
    const char *word = line->argv[i], *value = suggest_value_of(line, i);
    char plain[64], exact[64];
    const Text name = {word, strcspn(word, "=")};
    snprintf(exact, sizeof exact, "%.*s", (int)name.size, word);
    suggest_squeeze(word, name.size, plain, sizeof plain);
    const Option *option = option_find(line->command->options, exact);
    if (option) return ask_option(option, exact, value, out);
    return meant_other(line, plain, value, out) || meant_stage(line, name, value, false, out) ||
           meant_apart(line, word, out) || meant_near(line, name, value, out) ||
           meant_stage(line, name, value, true, out);
}

int unknown_option(const CommandLine *line, int i) {
    char out[MEANT], title[64];
    help_title(line, title, sizeof title);
    if (meant(line, i, out))
        fprintf(stderr, "strata: no option '%.60s': %s (strata %s --help says more)\n",
                line->argv[i], out, title);
    else
        fprintf(stderr, "strata: no option '%.60s'; usage: strata %s (--help says more)\n",
                line->argv[i], line->command->usage);
    return EXIT_USAGE;
}

/* Free text is probably a prompt or standard input; a name that ends in .gguf is a model. */
int unknown_word(const CommandLine *line, const char *word) {
    const char *end = strrchr(word, '.');
    const bool model = end && strcmp(end, ".gguf") == 0;
    const Option *prompt = option_find(line->command->options, "-p"), *taker = prompt;
    char out[MEANT] = "";
    if (prompt && prompt->kind.type != TYPE_PROMPT) taker = NULL;
    if (model && option_find(line->command->options, "-m"))
        taker = option_find(line->command->options, "-m");
    char title[64], text[80];
    help_title(line, title, sizeof title);
    if (taker)
        ask_option(taker, taker->name, word, out);
    else if (strstr(line->command->usage, "< "))
        snprintf(out, MEANT, "did you mean echo %s | strata %s?",
                 quoted(word, text, sizeof text), title);
    fprintf(stderr,
            "strata: unexpected argument '%.60s'%s%s usage: strata %s (--help says more)\n",
            word, *out ? ": " : ";", out, line->command->usage);
    return EXIT_USAGE;
}
