/* compare.c - strata compare: what each chain makes of the same openings, measured. */
#include "input.h"
#include "study.h"

#include <stdlib.h>
#include <string.h>

/* What was asked for. */
typedef struct Asking {
    const Job *job;
    bool contrast; /* some chain has it */
} Asking;

static bool is_asked_for(const void *context, const char *name) {
    const Asking *a = context;
    return name[0] == '-' ? command_line_has(a->job->line, name)
                          : strcmp(name, "contrast") == 0 && a->contrast;
}

/* Every chain can be read and has what it needs, before anything is computed. */
static bool check_chains(const Study *study, Fault *fault) {
    const Job *job = study->job;
    const float none[1] = {0};
    Asking asking = {.job = job};
    for (size_t i = 0; i < job->n_chains; i++) {
        Chain chain;
        Step step = {
            .tokenizer = study->model.tokenizer, .amateur = none, .look_ahead = look_ahead};
        if (!chain_parse(&chain, job->chains[i], study->model.tokenizer, fault)) return false;
        for (size_t k = 0; k < chain.count; k++)
            asking.contrast |=
                chain.stages[k].kind->needs_amateur && !stage_is_off(&chain.stages[k]);
        bool ok = chain_check(&chain, &step, fault);
        chain_close(&chain);
        if (!ok) return fault_prefix(fault, job->chains[i]);
    }
    return rules_check(job->line->rules, is_asked_for, &asking, fault) &&
           (!job->amateur || study->amateur.sizes.vocab == study->model.sizes.vocab ||
            fault_set(fault,
                      "the amateur has %zu tokens, the model %zu: they must share a vocabulary",
                      study->amateur.sizes.vocab, study->model.sizes.vocab));
}

static const OptionRule rules[] = {
    {"-p", NOT_WITH, "--documents --words", "the prompt takes the openings' place"},
    {"--amateur", NEEDS, "contrast", "that stage asks it: --chains contrast:0.1"},
    {"contrast", NEEDS, "--amateur", "it subtracts the logits of a weaker model"},
    {0},
};

static bool open_study(Study *study, Fault *fault) {
    const Job *job = study->job;
    study->texts = (size_t)(job->prompt ? job->seeds : job->documents * job->seeds);
    study->samples = calloc(job->n_chains * study->texts, sizeof *study->samples);
    return (study->samples || fault_set(fault, "no memory for %zu texts", study->texts)) &&
           (!job->csv || table_begin(&study->csv, job->csv, fault)) &&
           compute_load_model(&job->compute, job->model, &study->model, fault) &&
           (!job->amateur ||
            compute_load_model(&job->compute, job->amateur, &study->amateur, fault)) &&
           (study->world = world_open(fault)) && check_chains(study, fault);
}

static void close_study(Study *study) {
    for (size_t i = 0; study->samples && i < study->job->n_chains * study->texts; i++)
        world_text_free(&study->samples[i].text);
    free(study->samples);
    file_drop(&study->csv);
    world_close(study->world);
    model_close(&study->model), model_close(&study->amateur);
}

static bool run_study(Job *job, Fault *fault) {
    Study study = {.job = job};
    char path[2400];
    if (!choose_model(&job->model, path, sizeof path, fault) ||
        !compute_open(&job->compute, fault))
        return false;
    bool ok =
        open_study(&study, fault) && study_write(&study, fault) && study_report(&study, fault);
    close_study(&study);
    compute_close(&job->compute);
    return ok;
}

/* The chains after --chains, then the words that follow it. */
static void gather_chains(Job *job, const OptionList *chains, const char *const *more) {
    for (size_t i = 0; i < chains->count; i++) job->chains[job->n_chains++] = chains->items[i];
    for (size_t i = 0; i < MAX_CHAINS && more[i]; i++) job->chains[job->n_chains++] = more[i];
    if (job->n_chains == 0) job->chains[job->n_chains++] = chain_default;
}

static int run(int argc, char **argv) {
    Job job = {.documents = 50, .seeds = 1, .seed = 1, .words = 4, .max_tokens = 400};
    Fault fault;
    OptionList chains = {0};
    const Option options[] = {
        {"--chains", OPT_LIST, &chains, "SPEC", "a chain; further ones may follow it"},
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model to generate with (the storyteller in the box)"},
        {"--documents", OPT_INT(1, OPTION_MANY), &job.documents, "N",
         "openings of held-out stories (50)"},
        {"-p", OPT_TEXT, &job.prompt, "TEXT", "continue this instead"},
        {"--seeds", OPT_INT(1, OPTION_MANY), &job.seeds, "N", "texts for each opening (1)"},
        {"--seed", OPT_SEED, &job.seed, "N", "of the draws (1)"},
        {"--words", OPT_INT(1, OPTION_MANY), &job.words, "N",
         "length of the openings in words (4)"},
        {"-n", OPT_INT(1, OPTION_MANY), &job.max_tokens, "N", "most tokens of a text (400)"},
        {"--amateur", OPT_TEXT, &job.amateur, "FILE", "weaker model, for contrast"},
        {"--csv", OPT_TEXT, &job.csv, "FILE", "the table as CSV, too"},
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    const char *more[MAX_CHAINS] = {NULL};
    const CommandLine line = {
        argc,
        argv,
        "compare --chains SPEC SPEC ... [-p TEXT | --documents N] [options]",
        "Write texts with each chain, all in one batch, and measure them: validity by Tiny "
        "World's "
        "checker with the reasons\nof failure, share of distinct 1-, 2- and 3-grams, "
        "similarity to the other texts, repetition, mean surprisal and\nentropy under the "
        "model "
        "(nats), length, speed.",
        options,
        rules};
    int status = command_line_read(&line, more, 0, MAX_CHAINS - OPTION_LIST);
    if (status >= 0) return status;
    job.line = &line;
    gather_chains(&job, &chains, more);
    return run_study(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_compare = {
    .name = "compare", .gloss = "measure what chains make of the same openings", .run = run};
