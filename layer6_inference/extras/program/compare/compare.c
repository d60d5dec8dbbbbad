/* compare.c - strata compare: chains on the same openings, measured. */
#include "commands.h"
#include "input.h"
#include "study.h"
#include "families.h"
#include "look_ahead.h"
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

/* An Asked: does any chain have it? */
static bool has_contrast(const void *study, const char *name) {
    return strcmp(name, "contrast") == 0 && ((const Study *)study)->contrast;
}

static const OptionRule compare_rules[] = {
    {"-p", NOT_WITH, "--documents --first --words --world --prompts",
     "the prompt replaces the openings"},
    {"--prompts", NOT_WITH, "--documents --first --words --world",
     "the prompts replace the openings"},
    {"--amateur", NEEDS, "contrast", "add that stage: --chains contrast:0.1"},
    {"contrast", NEEDS, "--amateur", "it subtracts a weaker model's logits"},
    {0},
};

/* The rules between chains and options. */
static bool check_amateur(const Study *study, Fault *fault) {
    return rules_check(compare_rules, has_contrast, study, fault) &&
           (!study->job->amateur ||
            model_shares_vocabulary(&study->model, &study->amateur, "the amateur", fault));
}

static bool open_study(Study *study, Fault *fault) {
    const CompareJob *job = study->job;
    return (!job->csv || table_begin(&study->csv, job->csv, fault)) &&
           (!job->html || table_begin(&study->html, job->html, fault)) &&
           (!job->plot || table_begin(&study->plot, job->plot, fault)) &&
           compute_load_model(&job->compute, job->model, &study->model, fault) &&
           compute_adapt(&job->compute, &study->model, fault) &&
           (!job->amateur ||
            compute_load_model(&job->compute, job->amateur, &study->amateur, fault)) &&
           study_check_chains(study, fault) && check_amateur(study, fault) &&
           study_openings(study, fault) && study_results(study, fault);
}

static void close_study(Study *study) {
    study_close_texts(study);
    file_drop(&study->csv), file_drop(&study->html), file_drop(&study->plot);
    compute_close_model(&study->model), compute_close_model(&study->amateur);
}

static OptionList compare_chains;
static const char *compare_more[MAX_CHAINS];
static CompareJob asked = {
    .documents = 100, .seeds = 1, .seed = 1, .words = 4, .max_tokens = 400, .sample = 25};

/* The chains after --chains, then the other arguments. */
static void gather_chains(CompareJob *job) {
    for (size_t i = 0; i < compare_chains.count; i++)
        job->chains[job->n_chains++] = compare_chains.items[i];
    for (size_t i = 0; compare_more[i]; i++) job->chains[job->n_chains++] = compare_more[i];
    if (job->n_chains == 0) job->chains[job->n_chains++] = chain_default;
}

static bool compare_run(Fault *fault) {
    CompareJob *job = &asked;
    Study study = {.job = job};
    gather_chains(job);
    if (job->plot && job->n_chains < 2)
        return fault_set(fault, "--plot: got one chain, wanted two or more to compare. Name "
                                "them after --chains");
    if (!choose_model(&job->model, fault) || !compute_open(&job->compute, fault)) return false;
    bool ok = open_study(&study, fault) && study_write(&study, fault) &&
              (!study.world || study_truth(&study, fault)) && study_report(&study, fault);
    close_study(&study);
    compute_close(&job->compute);
    return ok;
}

static const Option compare_options[] = {
    {"--chains", OPT_LIST, &compare_chains, "SPEC", "one or more chains"},
    MODEL_OPTION(asked.model),
    {"--documents", OPT_INT(1, OPTION_MANY), &asked.documents, "N",
     "number of held-out openings: stories, some with a card (100)"},
    {"--first", OPT_INT(0, 9e15), &asked.first, "N",
     "index of the first held-out document: another set of openings (0)"},
    WORLD_OPTION(asked.world),
    {"-p", OPT_PROMPT, &asked.prompt, "TEXT", "continue this prompt instead (-: stdin)"},
    {"--prompts", OPT_TEXT, &asked.prompts, "FILE",
     "continue these prompts instead, one per line"},
    {"--seeds", OPT_INT(1, OPTION_MANY), &asked.seeds, "N", "texts per opening (1)"},
    {"--seed", OPT_SEED, &asked.seed, "N", "random seed (1)"},
    {"--words", OPT_INT(1, OPTION_MANY), &asked.words, "N",
     "length of the openings in words (4)"},
    {"-n", OPT_INT(1, OPTION_MANY), &asked.max_tokens, "N", "maximum tokens per text (400)"},
    {"--amateur", OPT_TEXT, &asked.amateur, "FILE", "a weaker model, for the stage contrast"},
    {"--sample", OPT_INT(1, OPTION_MANY), &asked.sample, "N",
     "texts per sample for distinct-n, which falls with sample size (25)"},
    {"--json", OPT_FLAG, &asked.json, NULL, "print the table as JSON, with all measures"},
    {"--csv", OPT_OUTPUT, &asked.csv, "FILE", "also write the table as CSV"},
    {"--html", OPT_OUTPUT, &asked.html, "FILE",
     "also write a self-contained page with the table, plots and texts side by side"},
    {"--plot", OPT_OUTPUT, &asked.plot, "FILE",
     "also draw the chains as SVG: valid against kept (without a world, surprisal against "
     "dist-2)"},
    STEERING_OPTIONS(asked.steering),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_compare = {
    .name = "compare",
    .usage = "compare --chains SPEC SPEC ... [-p TEXT | --documents N] [options]",
    .about = "Generate texts with each chain, all in one batch, and measure them, with 95 % "
             "intervals over the openings; then the\n"
             "differences from the first chain, paired by opening, so that an opening's "
             "difficulty cancels out.\n"
             "\n"
             "  valid     share of generated texts that are complete and obey Tiny World\n"
             "  kept      share of true documents that the chain can generate: no token of "
             "them is cut\n"
             "  KL chain  mean of ln c - ln w over valid texts, - ln valid + ln kept: KL(chain "
             "| truth), in nats per text\n"
             "  KL truth  mean of ln w - ln c over kept documents, - ln kept + ln valid: "
             "KL(truth | chain)\n"
             "            c: probability of the text under the chain; w: in the world; both "
             "given the opening, both\n"
             "            divergences restricted to the texts that both allow\n"
             "  surprise  nats per generated token, under the model before the chain; the end "
             "token is not counted\n"
             "  dist-2    distinct 2-grams / all, in samples of --sample texts; repeats: share "
             "of a text's 4-grams\n"
             "            that occurred in it before\n"
             "\n"
             "valid, kept and KL need the world's openings; -p and --prompts leave them out.  "
             "A dash: unknown\n"
             "(a chain that looks ahead only scores its own texts), or fewer than ten texts.",
    .examples = {"strata compare --chains greedy balanced top_p:0.9"},
    .options = compare_options,
    .brief = "--chains -m -p --documents --seeds -n --csv --html --plot --threads",
    .rules = compare_rules,
    .words = compare_more,
    .max_words = MAX_CHAINS - OPTION_LIST,
    .run = compare_run};
