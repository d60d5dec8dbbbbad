/* world.c - strata world: write Tiny World, check texts against it, let a model generate_text it. */
#include "input.h"
#include "compute.h"
#include "loaded_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char separator[] = "<|endoftext|>";

/* Usage is wrong unless a rule is one that whole documents have. */
static bool is_kind(const char *rule) {
    static const char *const kinds[] = {"document", "story", "tale", "chat", "card"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(rule, kinds[i]) == 0) return true;
    fprintf(stderr, "strata: --kind %.40s: wanted document, story, tale, chat or card\n", rule);
    return false;
}

/* ------------------------------------------------------------------ writing */

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
            printf("%s\n%s\n", text.bytes, separator);
    }
    fprintf(stderr, "[%ld documents, %.1f bytes and %.3f nats each: %.4f nats a byte]\n",
            job->documents, bytes / (double)job->documents, nats / (double)job->documents,
            nats / bytes);
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
    int status = options_read(
        argc, argv, "world [--seed S] [--documents N] | world check ... | world sample ...",
        "Write documents of Tiny World, each followed by a line <|endoftext|>.\n"
        "`strata world check` reads documents and says which obey the world;\n"
        "`strata world sample` lets a model write documents.",
        options, NULL, 0, 0);
    if (status >= 0) return status;
    if (!is_kind(job.rule)) return EXIT_USAGE;
    return write_documents(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

/* ------------------------------------------------------------------ checking */

typedef struct CheckJob {
    const char *rule;
    bool prefix, summary;
} CheckJob;

enum { REASONS = 32 };

typedef struct Tally {
    long documents, valid, counts[REASONS];
    char reasons[REASONS][16];
    int n;
} Tally;

static void count_reason(Tally *tally, const char *reason) {
    int i = 0;
    while (i < tally->n && strcmp(tally->reasons[i], reason) != 0) i++;
    if (i == tally->n && i < REASONS - 1)
        snprintf(tally->reasons[tally->n++], sizeof tally->reasons[0], "%s", reason);
    tally->counts[i]++;
}

static void check_one(const World *world, const CheckJob *job, Text text, Tally *tally) {
    WorldVerdict v = world_check(world, job->rule, text.data, text.size, job->prefix);
    tally->documents++;
    tally->valid += v.valid;
    if (!v.valid) count_reason(tally, v.reason);
    if (job->summary) return;
    if (v.valid)
        printf("%ld\tvalid\t%.3f nats\n", tally->documents, v.nats);
    else
        printf("%ld\tinvalid\t%s\tbyte %zu\t%s\n", tally->documents, v.reason, v.place,
               v.detail);
}

/* The next document of the input: up to a separator line or the end. */
static Text next_document(Text *rest) {
    size_t mark = sizeof separator - 1;
    for (size_t at = 0; at + mark <= rest->size; at++) {
        bool line = (at == 0 || rest->data[at - 1] == '\n') &&
                    memcmp(rest->data + at, separator, mark) == 0 &&
                    (at + mark == rest->size || rest->data[at + mark] == '\n');
        if (!line) continue;
        Text document = {rest->data, at ? at - 1 : 0};
        size_t skip = at + mark + (at + mark < rest->size);
        rest->data += skip, rest->size -= skip;
        return document;
    }
    Text document = *rest;
    if (document.size && document.data[document.size - 1] == '\n') document.size--;
    rest->data += rest->size, rest->size = 0;
    return document;
}

static bool check_documents(const CheckJob *job, Fault *fault) {
    size_t size;
    char *bytes = read_standard_input(&size, fault);
    World *world = bytes ? world_open(fault) : NULL;
    Tally tally = {0};
    for (Text rest = {bytes, size}; world && rest.size;)
        check_one(world, job, next_document(&rest), &tally);
    if (world) {
        fprintf(stderr, "[%ld of %ld documents are valid (%.1f %%)", tally.valid,
                tally.documents,
                tally.documents ? 100.0 * (double)tally.valid / (double)tally.documents : 0);
        for (int i = 0; i < tally.n; i++)
            fprintf(stderr, "%s %ld %s", i ? "," : "; the others:", tally.counts[i],
                    tally.reasons[i]);
        fprintf(stderr, "]\n");
    }
    bool ok = world != NULL;
    world_close(world);
    free(bytes);
    return ok;
}

static int run_check(int argc, char **argv) {
    CheckJob job = {.rule = "document"};
    Fault fault;
    const Option options[] = {
        {"--kind", OPT_TEXT, &job.rule, "RULE",
         "what a document must be: document (any), story, tale, chat or card"},
        {"--prefix", OPT_FLAG, &job.prefix, NULL, "accept a document that stops early"},
        {"--summary", OPT_FLAG, &job.summary, NULL, "only the totals, on stderr"},
        {0},
    };
    int status =
        options_read(argc, argv, "world check [options] < DOCUMENTS",
                     "For each document on stdin (a line <|endoftext|> after each): whether it "
                     "obeys Tiny World, and if not, the\n"
                     "reason, the byte where no reading goes on, and what stands there.",
                     options, NULL, 0, 0);
    if (status >= 0) return status;
    if (!is_kind(job.rule)) return EXIT_USAGE;
    return check_documents(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

/* ------------------------------------------------------------------ texts of a model */

typedef struct SampleJob {
    const char *model, *chain, *rule;
    uint64_t seed;
    long documents, words;
    ComputeOptions compute;
} SampleJob;

static void append_text(void *context, Text text) {
    (void)context;
    fwrite(text.data, 1, text.size, stdout);
}

static bool sample_documents(const SampleJob *job, const World *world, LoadedModel *loaded,
                             Chain *chain, Fault *fault) {
    Progress progress;
    WorldText text = {0};
    TokenList tokens = {0};
    bool ok = true;
    progress_start(&progress, "documents", "documents", (double)job->documents);
    for (long i = 0; ok && i < job->documents; i++) {
        Stream stream;
        GenerateResult result;
        Text prompt =
            world_opening(world, job->rule, job->seed, (uint64_t)i, job->words, &text);
        tokens.count = 0;
        ok = loaded_tokenize(loaded, prompt, true, &tokens, fault);
        stream_open(&stream, NULL, append_text, NULL);
        GenerateOptions options = {.chain = chain,
                                   .seed = rng_hash(job->seed, 77, (uint64_t)i),
                                   .limits.max_tokens = SIZE_MAX,
                                   .limits.only_bos_ends = true,
                                   .stream = &stream};
        append_text(NULL, prompt);
        ok = generate(&loaded->session, &tokens, &options, &result, fault);
        printf("\n%s\n", separator);
        stream_close(&stream);
        progress_show(&progress, (double)(i + 1));
    }
    progress_end(&progress, (double)job->documents);
    token_list_free(&tokens);
    world_text_free(&text);
    return ok;
}

static bool run_samples(SampleJob *job, Fault *fault) {
    LoadedModel loaded = {0};
    Chain chain = {0};
    char path[2400];
    if (!choose_model(&job->model, path, sizeof path, fault)) return false;
    World *world = world_open(fault);
    if (!world) return false;
    bool ok = compute_open(&job->compute, fault) &&
              loaded_open(&loaded, job->model, &job->compute, 1024, 1, fault);
    ok = ok && chain_parse(&chain, job->chain, loaded.model->tokenizer, fault) &&
         sample_documents(job, world, &loaded, &chain, fault);
    chain_close(&chain);
    if (loaded.model) loaded_close(&loaded);
    compute_close(&job->compute);
    world_close(world);
    return ok;
}

static int run_sample(int argc, char **argv) {
    SampleJob job = {.chain = chain_default,
                     .rule = "story",
                     .documents = 10,
                     .seed = 2,
                     .words = 4,
                     .compute = {.threads = 1}};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model to generate with (the storyteller in the box)"},
        {"--documents", OPT_INT(1, OPTION_MANY), &job.documents, "N", "how many (10)"},
        {"--chain", OPT_TEXT, &job.chain, "SPEC", "samplers"},
        {"--seed", OPT_SEED, &job.seed, "N",
         "of the openings and of the draws (2: held out from training)"},
        {"--words", OPT_INT(1, OPTION_MANY), &job.words, "N",
         "length of the openings in words (4)"},
        {"--kind", OPT_TEXT, &job.rule, "RULE",
         "openings of: story, tale, chat, card or document (story)"},
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    int status = options_read(argc, argv, "world sample [-m FILE] [options]",
                              "Let a model write documents, each from the first words of a "
                              "document it has not seen; in the form that\n"
                              "`strata world check` reads.",
                              options, NULL, 0, 0);
    if (status >= 0) return status;
    if (!is_kind(job.rule)) return EXIT_USAGE;
    return run_samples(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

static int run(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "check") == 0) return run_check(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "sample") == 0) return run_sample(argc - 1, argv + 1);
    return run_write(argc, argv);
}

const Command command_world = {.name = "world",
                               .gloss = "write Tiny World, check texts against it, sample it",
                               .run = run};
