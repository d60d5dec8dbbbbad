/* world.c - strata world: generates Tiny World.  Its other parts: check.c, sample.c. */
#include "commands.h"
#include "world_parts.h"

#include <stdio.h>
#include <string.h>

bool world_kind(const char *rule, Fault *fault) {
    static const char *const kinds[] = {"document", "story", "tale", "chat", "card"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(rule, kinds[i]) == 0) return true;
    char hint[80];
    return fault_set(
        fault, "--kind %.40s: wanted document, story, tale, chat or card%s", rule,
        nearest_hint(hint, sizeof hint, text_of(rule), "document story tale chat card"));
}

static struct {
    uint64_t seed;
    long first, documents;
    const char *rule, *world;
    bool entropy;
} asked = {.seed = 1, .documents = 1, .rule = "document"};

static bool world_write_run(Fault *fault) {
    World *world = world_open_named(asked.world, fault);
    WorldText text = {0};
    double nats = 0, bytes = 0;
    if (!world) return false;
    for (long i = asked.first; i < asked.first + asked.documents; i++) {
        world_write(world, asked.rule, asked.seed, (uint64_t)i, &text);
        nats += text.nats, bytes += (double)text.size;
        if (asked.entropy)
            printf("%ld\t%.6f\t%zu\n", i, text.nats, text.size);
        else
            printf("%s\n%s\n", text.bytes, SEPARATOR);
    }
    fprintf(stderr, "[%ld document%s, %.1f bytes and %.3f nats each: %.4f nats a byte]\n",
            asked.documents, asked.documents == 1 ? "" : "s", bytes / (double)asked.documents,
            nats / (double)asked.documents, nats / bytes);
    world_text_free(&text);
    world_close(world);
    return true;
}

static const Option world_options[] = {
    {"--seed", OPT_SEED, &asked.seed, "N", "random seed of the corpus (1)"},
    {"--documents", OPT_INT(1, OPTION_MANY), &asked.documents, "N", "number of documents (1)"},
    {"--first", OPT_INT(0, 9e15), &asked.first, "N", "index of the first document (0)"},
    {"--kind", OPT_TEXT, &asked.rule, "RULE",
     "document (all kinds), story, tale (a short story with one plot), chat or card"},
    WORLD_OPTION(asked.world),
    {"--entropy", OPT_FLAG, &asked.entropy, NULL,
     "print index, nats and bytes of each document instead of its text"},
    {0},
};

static bool world_write_kind(Fault *fault) { return world_kind(asked.rule, fault); }

static const Command *const world_parts[] = {&world_check_command, &world_score_command,
                                             &world_sample_command, NULL};

const Command command_world = {
    .name = "world",
    .usage = "world [--seed S] [--documents N] | world check ... | world score ... | world "
             "sample ...",
    .about = "Generate documents of Tiny World, each followed by a line <|endoftext|>.\n"
             "`strata world check` tells which documents obey the world;\n"
             "`strata world score` tells how likely each is in the world;\n"
             "`strata world sample` generates documents with a model.",
    .options = world_options,
    .parts = world_parts,
    .check = world_write_kind,
    .run = world_write_run};
