/* sample.c - strata world sample: let a model write documents of Tiny World. */
#include "compute.h"
#include "loaded_model.h"
#include "look_ahead.h"
#include "world_parts.h"

#include <stdio.h>

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
        with_look_ahead(&options);
        append_text(NULL, prompt);
        ok = generate(&loaded->session, &tokens, &options, &result, fault);
        printf("\n%s\n", SEPARATOR);
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
              loaded_open(&loaded, job->model, &job->compute, 1024, 1, fault) &&
              compute_adapt(&job->compute, &loaded.own, fault);
    ok = ok && chain_parse(&chain, job->chain, loaded.model->tokenizer, fault) &&
         sample_documents(job, world, &loaded, &chain, fault);
    chain_close(&chain);
    if (loaded.model) loaded_close(&loaded);
    compute_close(&job->compute);
    world_close(world);
    return ok;
}

int run_sample(int argc, char **argv) {
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
        ADAPTER_OPTION(job.compute),
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
