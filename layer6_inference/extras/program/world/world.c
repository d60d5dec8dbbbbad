/* world.c - strata world: write Tiny World.  Its other parts: check.c, sample.c. */
#include "commands.h"
#include "world_parts.h"

#include <stdio.h>
#include <string.h>

bool is_kind(const char *rule) {
    static const char *const kinds[] = {"document", "story", "tale", "chat", "card"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(rule, kinds[i]) == 0) return true;
    char hint[80];
    fprintf(stderr, "strata: --kind %.40s: wanted document, story, tale, chat or card%s\n",
            rule,
            nearest_hint(hint, sizeof hint, text_of(rule), "document story tale chat card"));
    return false;
}

typedef struct WriteJob {
    uint64_t seed;
    long first, documents;
    const char *rule;
    bool entropy;
} WriteJob;

static bool write_documents(const WriteJob *job, Fault *fault) {
    World *world = world_open(fault);
    WorldText text = {0};
    double nats = 0, bytes = 0;
    if (!world) return false;
    for (long i = job->first; i < job->first + job->documents; i++) {
        world_write(world, job->rule, job->seed, (uint64_t)i, &text);
        nats += text.nats, bytes += (double)text.size;
        if (job->entropy)
            printf("%ld\t%.6f\t%zu\n", i, text.nats, text.size);
        else
            printf("%s\n%s\n", text.bytes, SEPARATOR);
    }
    fprintf(stderr, "[%ld document%s, %.1f bytes and %.3f nats each: %.4f nats a byte]\n",
            job->documents, job->documents == 1 ? "" : "s", bytes / (double)job->documents,
            nats / (double)job->documents, nats / bytes);
    world_text_free(&text);
    world_close(world);
    return true;
}

static int run_write(int argc, char **argv) {
    WriteJob job = {.seed = 1, .documents = 1, .rule = "document"};
    Fault fault;
    const Option options[] = {
        {"--seed", OPT_SEED, &job.seed, "N",
         "which corpus (1); the same seed writes the same one"},
        {"--documents", OPT_INT(1, OPTION_MANY), &job.documents, "N", "how many documents (1)"},
        {"--first", OPT_INT(0, 9e15), &job.first, "N", "index of the first document (0)"},
        {"--kind", OPT_TEXT, &job.rule, "RULE",
         "document (all kinds), story, tale (a story of one plot, in few words), chat or card"},
        {"--entropy", OPT_FLAG, &job.entropy, NULL,
         "print index, nats and bytes of each document instead of its text"},
        {0},
    };
    int status =
        options_read(argc, argv,
                     "world [--seed S] [--documents N] | world check ... | world score ... | "
                     "world sample ...",
                     "Write documents of Tiny World, each followed by a line <|endoftext|>.\n"
                     "`strata world check` reads documents and says which obey the world;\n"
                     "`strata world score` says how likely each is in the world itself;\n"
                     "`strata world sample` lets a model write documents.",
                     options, NULL, 0, 0);
    if (status >= 0) return status;
    if (!is_kind(job.rule)) return EXIT_USAGE;
    return write_documents(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

static int run(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "check") == 0) return run_check(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "score") == 0) return run_score(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "sample") == 0) return run_sample(argc - 1, argv + 1);
    char hint[80];
    if (argc > 1 && !option_shaped(argv[1]) &&
        *nearest_hint(hint, sizeof hint, text_of(argv[1]), "check score sample")) {
        fprintf(stderr,
                "strata: nothing is done with '%.40s'%s strata world --help says more\n",
                argv[1], hint);
        return EXIT_USAGE;
    }
    return run_write(argc, argv);
}

const Command command_world = {.name = "world", .run = run};
