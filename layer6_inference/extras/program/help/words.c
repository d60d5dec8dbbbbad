/* words.c - which words may come next, for a shell that completes them.  See help.h.
 *
 * The shell's script (library/completions) runs `strata COMMAND --help=words WORD ...` with the
 * words behind the command, the last one as far as it is typed, and reads lines:
 *
 *     top_k:<TAB>keep the k most likely tokens      a word, and what it is
 *     :files<TAB>gguf                               files with this ending (none: all), folders
 *     :open                                         no blank behind the word: it may go on */
#include "help.h"
#include "command.h"
#include "model_names.h"

#include "diffusion.h"
#include "sampler_reference.h"

#include <stdio.h>
#include <string.h>

void words_line(const char *word, const char *begun, const char *gloss) {
    if (strncmp(word, begun, strlen(begun)) == 0) printf("%s\t%s\n", word, gloss);
}

/* Options that take a model file. */
static const char models[] =
    "-m, --draft, --amateur, --mmproj, --from, --vocab-from, --adapter, --importance";

static bool is_listed(const Option *option, const char *names) {
    char name[64];
    for (const char *at = names; *(at += strspn(at, ", ")); at += strcspn(at, ", ")) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ", "), at);
        if (option_is_called(option, name)) return true;
    }
    return false;
}

/* Each name in a list with these separators. */
static void put_choices(const char *names, const char *between, const char *begun) {
    for (const char *at = names; *(at += strspn(at, between));) {
        char name[64];
        size_t n = strcspn(at, between);
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        words_line(name, begun, "");
        at += n;
    }
}

/* A partly typed chain: "top_k:40,te" is completed by every stage that begins with "te". */
static void put_chains(const char *begun) {
    const StageKind *const *list;
    const ChainPreset *presets;
    const char *comma = strrchr(begun, ',');
    const int before = comma ? (int)(comma + 1 - begun) : 0;
    char word[600];
    const bool is_ref = strncmp(begun + before, "ref:", 4) == 0;
    for (size_t i = 0; is_ref && sampler_reference_name(i); i++) {
        snprintf(word, sizeof word, "%.*sref:%s:", before, begun, sampler_reference_name(i));
        words_line(word, begun, stage_find(text_of(sampler_reference_name(i)))->gloss);
    }
    for (size_t i = 0, n = stage_list(&list); i < n; i++) {
        bool value = list[i]->params[0].key || list[i]->list != LIST_NONE;
        snprintf(word, sizeof word, "%.*s%s%s", before, begun, list[i]->name, value ? ":" : "");
        words_line(word, begun, list[i]->gloss);
    }
    for (size_t i = 0, n = chain_presets(&presets); i < n; i++) {
        snprintf(word, sizeof word, "%.*s%s", before, begun, presets[i].name);
        words_line(word, begun, presets[i].gloss);
    }
    puts(":open");
}

/* Downloaded models, and where a model may be downloaded, the published ones. */
static void put_model(void *begun, const char *name) {
    words_line(name, begun, "a downloaded model");
}
static void put_models(const char *begun, bool published) {
    char folder[1024];
    size_t count;
    const PublishedModel *published_list = published_models(&count);
    for (size_t i = 0; published && i < count; i++)
        words_line(published_list[i].name, begun, published_list[i].use);
    if (models_folder(folder, sizeof folder, &(Fault){0}))
        models_in_folder(folder, put_model, (void *)(uintptr_t)begun);
}

/* Options that take one of a few names. */
static const struct {
    const char *option, *names;
} choices[] = {
    {"--isa", "auto, " KERNELS_KNOWN},
    {"--kv", kv_formats},
    {"--remask", remask_names},
    {"--longrope", "auto, short, long"},
    {"--kind", "document, story, tale, chat, card"},
    {"--policy", "static, continuous, chunked"},
    {"--order", "fcfs, priority, turns"},
    {"--split", "rows, layers"},
    {"--wire", "f32, f16"},
    {"--shape", "8B, 70B, 405B"},
    {"--arrivals", "poisson, bursts"},
    {"--size", "storyteller, draft"},
    {"--mixer", "attention, delta"},
    {"--optimizer", "muon, adamw"},
    {"--by", "likelihood, vote, mbr"},
    {"--think", "show, hide, off"},
    {"--full", "forget, shift, stop"},
    {"--tool-choice", "auto, required"},
    {"--pooling", "mean, last, cls, none, rank"},
    {"--space", "free, one, none"},
};

static void put_values(const Option *o, const char *begun) {
    const char *meta = o->metavar ? o->metavar : "";
    if (strcmp(meta, "SPEC") == 0) {
        put_chains(begun);
        return;
    }
    if (o->kind.type == TYPE_OUTPUT || strncmp(meta, "FILE", 4) == 0 ||
        strcmp(meta, "PROGRAM") == 0 || strcmp(meta, "DIR") == 0)
        printf(":files\t%s\n", is_listed(o, models) ? "gguf" : "");
    if (is_listed(o, models) || option_is_called(o, "--remove")) put_models(begun, false);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strcmp(meta, "N") != 0 && option_is_called(o, choices[i].option))
            put_choices(choices[i].names, ", ", begun);
}

/* Both names of "-t, --threads", separately. */
static void put_options(const Option *options, const char *begun) {
    for (const Option *o = options; o->name; o++)
        for (const char *at = o->name; *(at += strspn(at, ", "));) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ", "), at);
            words_line(name, begun, o->help);
            at += strlen(name);
        }
    words_line("--help", begun, "usage and the most common options");
}

/* Arguments other than options, from the usage: "bench matmul|samplers [options]", "inspect
 * [FILE]". */
static void words_put_others(const CommandLine *line, const char *begun) {
    char title[64], list[300];
    help_title(line, title, sizeof title);
    const char *usage = line->command->usage + strlen(title), *at = usage + strspn(usage, " ");
    snprintf(list, sizeof list, "%.*s", (int)strcspn(at, " "), at);
    if (strcmp(title, "pull") == 0) {
        put_models(begun, true);
        return;
    }
    if (strchr(list, '|')) put_choices(list, "|", begun);
    if (strstr(usage, ".gguf") || strncmp(at, "[FILE]", 6) == 0)
        puts(":files\tgguf");
    else if (strncmp(at, "FILE", 4) == 0 || strstr(usage, "FOLDER") || strstr(usage, "< "))
        puts(":files\t");
    if (strcmp(title, "compare") == 0 || strcmp(title, "tune") == 0)
        put_chains(begun); /* after --chains, which takes the first chain */
    const StageKind *const *stages;
    for (size_t i = 0, n = stage_list(&stages); strcmp(title, "samplers") == 0 && i < n; i++)
        words_line(stages[i]->name, begun, stages[i]->gloss);
}

void help_words(const CommandLine *line, int i) {
    const char *begun = i + 1 < line->argc ? line->argv[line->argc - 1] : "";
    const Option *option = NULL;
    const Command *part =
        i + 2 < line->argc ? command_part(line->command, line->argv[i + 1]) : NULL;
    if (part) {
        help_words(&(CommandLine){line->argc - i - 1, line->argv + i + 1, part}, 0);
        return;
    }
    for (int at = i + 1; at < line->argc - 1; at++) {
        int value = at;
        option = option_at(line, &value);
        if (option && value == line->argc - 1) {
            put_values(option, begun);
            return;
        }
        at = value;
    }
    for (const Command *const *p = line->command->parts; p && *p && i + 2 == line->argc; p++)
        words_line((*p)->name, begun, "");
    if (*begun != '-') words_put_others(line, begun);
    if (*begun == '-' || !*begun) put_options(line->command->options, begun);
}
