/* sample.c - strata world sample: generates Tiny World documents with a model. */
#include "compute.h"
#include "loaded_model.h"
#include "look_ahead.h"
#include "world_parts.h"

#include <stdio.h>

static struct {
    const char *model, *chain, *rule, *world;
    uint64_t seed;
    long documents, words;
    ComputeOptions compute;
} asked = {.chain = chain_default,
           .rule = "story",
           .documents = 10,
           .seed = 2,
           .words = 4,
           .compute = {.threads = 1}};

static void append_text(void *context, Text text) {
    (void)context;
    fwrite(text.data, 1, text.size, stdout);
}

static bool sample_documents(const World *world, LoadedModel *loaded, Chain *chain,
                             Fault *fault) {
    Progress progress;
    WorldText text = {0};
    TokenList tokens = {0};
    bool ok = true;
    progress_start(&progress, "documents", "documents", (double)asked.documents);
    for (long i = 0; ok && i < asked.documents; i++) {
        Stream stream;
        GenerateResult result;
        Text prompt =
            world_opening(world, asked.rule, asked.seed, (uint64_t)i, asked.words, &text);
        tokens.count = 0;
        ok = loaded_tokenize(loaded, prompt, true, &tokens, fault);
        stream_open(&stream, NULL, append_text, NULL);
        GenerateOptions options = {.chain = chain,
                                   .seed = rng_hash(asked.seed, 77, (uint64_t)i),
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
    progress_end(&progress, (double)asked.documents);
    token_list_free(&tokens);
    world_text_free(&text);
    return ok;
}

static bool sample_model(LoadedModel *m, Fault *fault) {
    Chain chain = {0};
    World *world = world_open_named(asked.world, fault);
    bool ok = world && loaded_open_session(m, &asked.compute, 1024, 1, fault) &&
              chain_parse(&chain, asked.chain, m->model->tokenizer, fault) &&
              sample_documents(world, m, &chain, fault);
    chain_close(&chain);
    world_close(world);
    return ok;
}

static const Option world_sample_options[] = {
    MODEL_OPTION(asked.model),
    {"--documents", OPT_INT(1, OPTION_MANY), &asked.documents, "N", "number of documents (10)"},
    {"--chain", OPT_TEXT, &asked.chain, "SPEC", "samplers"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "random seed of the openings and of sampling (2: held out from training)"},
    {"--words", OPT_INT(1, OPTION_MANY), &asked.words, "N",
     "length of the openings in words (4)"},
    {"--kind", OPT_TEXT, &asked.rule, "RULE",
     "kind of openings: story, tale, chat, card or document (story)"},
    WORLD_OPTION(asked.world),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool world_sample_kind(Fault *fault) { return world_kind(asked.rule, fault); }

static bool world_sample_run(Fault *fault) {
    return loaded_run(&asked.model, &asked.compute, sample_model, fault);
}

const Command world_sample_command = {
    .name = "sample",
    .usage = "world sample [-m FILE] [options]",
    .about = "Generate documents with a model, each from the first words of a held-out "
             "document, in the format that\n"
             "`strata world check` reads.",
    .options = world_sample_options,
    .check = world_sample_kind,
    .run = world_sample_run};
