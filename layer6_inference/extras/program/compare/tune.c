/* tune.c - strata tune: chain after chain on documents of the user's.  See tune.h. */
#include "tune.h"
#include "commands.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 25 /* max texts in a sample of distinct-2 */ };

static const char *const grid[] = {"draw",
                                   "greedy",
                                   "temp:0.5",
                                   "temp:0.7",
                                   "temp:0.85",
                                   "top_k:20",
                                   "top_k:40",
                                   "top_k:100",
                                   "top_p:0.8",
                                   "top_p:0.9",
                                   "top_p:0.95",
                                   "min_p:0.02",
                                   "min_p:0.05",
                                   "min_p:0.1",
                                   "epsilon:0.001",
                                   "epsilon:0.005",
                                   "eta:0.002",
                                   "typical:0.9",
                                   "top_n_sigma:1",
                                   "top_n_sigma:1.5",
                                   "tfs:0.95",
                                   "min_p:0.05,temp:0.7",
                                   "top_p:0.9,temp:0.7",
                                   "min_p:0.05,temp:1.2"};

static OptionList tune_chains;
static const char *tune_more[MAX_CHAINS];
static Tune asked = {.job = {.seeds = 1, .seed = 1, .words = 4, .max_tokens = 100}, .keep = 90};

/* The chains after --chains, then the other arguments, or the grid; then the documents. */
static void name_chains(Tune *t) {
    CompareJob *job = &t->job;
    for (size_t i = 0; i < tune_chains.count; i++)
        job->chains[job->n_chains++] = tune_chains.items[i];
    for (size_t i = 0; tune_more[i]; i++) job->chains[job->n_chains++] = tune_more[i];
    for (size_t i = 0; !t->job.n_chains && i < sizeof grid / sizeof *grid; i++)
        job->chains[i] = grid[i];
    if (!job->n_chains) job->n_chains = sizeof grid / sizeof *grid;
    t->chains = job->n_chains;
    job->chains[job->n_chains++] = TUNE_DOCUMENTS;
}

/* A study of some of the chains. */
static Study study_of(const Tune *t, CompareJob *job, size_t n_chains) {
    Study study = t->study;
    *job = t->job, job->n_chains = n_chains;
    study.job = job;
    study.texts = study.n_openings * (size_t)job->seeds;
    return study;
}

static bool check_tune_chains(Tune *t, Fault *fault) {
    CompareJob job;
    Study all = study_of(t, &job, t->chains);
    if (!study_check_chains(&all, fault)) return false;
    t->study.guided = all.guided;
    memcpy(t->study.looks_ahead, all.looks_ahead, sizeof all.looks_ahead);
    return !all.contrast ||
           fault_set(fault,
                     "%.200s: contrast subtracts a weaker model's logits, and tune has one "
                     "model. strata compare --amateur FILE measures it",
                     all.contrast);
}

/* ------------------------------------------------------------------ measure */

/* The row of a study with one chain. */
static bool finish_row(Tune *t, size_t row, const Study *one, Fault *fault) {
    Summary s = {0};
    bool ok = measure_chain(one, 0, NULL, &s, fault);
    memcpy(t->rows[row].value, s.value, sizeof s.value);
    measure_close(&s);
    return ok && tune_add_row(t, row, fault);
}

/* Measured as if a chain that cuts nothing had written them. */
static bool measure_documents(Tune *t, Truth *truth, Fault *fault) {
    CompareJob job;
    Study own = study_of(t, &job, 1);
    job.chains[0] = "draw", job.seeds = 1, own.looks_ahead[0] = false;
    own.truth = truth, own.texts = own.n_openings;
    own.samples = calloc(own.texts, sizeof *own.samples);
    for (size_t i = 0; own.samples && i < own.texts; i++)
        own.samples[i] = (Sample){.text = own.openings[i].text,
                                  .surprisal = truth[i].nats,
                                  .tokens = truth[i].tokens};
    bool ok = own.samples ? finish_row(t, t->chains, &own, fault)
                          : fault_set(fault, "no memory for %zu texts", own.texts);
    free(own.samples);
    return ok;
}

static bool measure_row(Tune *t, size_t row, Truth *truth, Progress *progress, double before,
                        Fault *fault) {
    CompareJob job;
    Study one = study_of(t, &job, 1);
    job.chains[0] = t->job.chains[row];
    one.looks_ahead[0] = t->study.looks_ahead[row];
    one.truth = truth;
    one.samples = calloc(one.texts, sizeof *one.samples);
    if (!one.samples) return fault_set(fault, "no memory for %zu texts", one.texts);
    Writer *w = writer_open(&one, 0, one.texts, fault);
    bool ok = w != NULL;
    while (ok && writer_left(w)) {
        ok = writer_step(w, fault);
        progress_show(progress, before + (double)(one.texts - writer_left(w)));
    }
    writer_close(w);
    ok = ok && finish_row(t, row, &one, fault);
    one.openings = NULL, one.truth = NULL; /* of all rows */
    study_close_texts(&one);
    return ok;
}

/* The rows that are left: `read` has the documents under each of them, in this order. */
static bool measure_left(Tune *t, const Study *read, const size_t *rows, Fault *fault) {
    const size_t n = read->job->n_chains;
    char label[64];
    Progress progress;
    double texts = (double)(t->study.n_openings * (size_t)t->job.seeds), done = 0;
    bool ok = rows[n - 1] != t->chains ||
              measure_documents(t, read->truth + (n - 1) * read->n_openings, fault);
    progress_start(&progress, label, "texts", texts * (double)(n - (rows[n - 1] == t->chains)));
    for (size_t i = 0; ok && i < n && rows[i] < t->chains; i++, done += texts) {
        snprintf(label, sizeof label, "chain %zu of %zu, %-24.24s", rows[i] + 1, t->chains,
                 t->job.chains[rows[i]]);
        ok =
            measure_row(t, rows[i], read->truth + i * read->n_openings, &progress, done, fault);
    }
    progress.what = "chains";
    if (ok && done > 0) progress_end(&progress, done);
    return ok;
}

static bool measure_rows(Tune *t, Fault *fault) {
    CompareJob job;
    size_t rows[MAX_CHAINS], n = 0;
    Study read = study_of(t, &job, 0);
    for (size_t c = 0; c <= t->chains; c++) {
        if (t->done[c]) continue;
        job.chains[n] = c < t->chains ? t->job.chains[c] : "draw";
        rows[n++] = c;
    }
    if (n <= t->chains && t->out)
        fprintf(stderr, "[%s has %zu of %zu rows]\n", t->out, t->chains + 1 - n, t->chains + 1);
    if (!n) return true;
    job.n_chains = n;
    read.truth = calloc(n * read.n_openings, sizeof *read.truth);
    if (!read.truth) return fault_set(fault, "no memory for %zu documents", read.n_openings);
    bool ok = study_truth(&read, fault) && measure_left(t, &read, rows, fault);
    free(read.truth);
    return ok;
}

/* ------------------------------------------------------------------ run */

static bool open_tune(Tune *t, Fault *fault) {
    if (!tune_read(t, fault) || !tune_open_rows(t, fault) ||
        (t->plot && !table_begin(&t->picture, t->plot, fault)) ||
        !compute_load_model(&t->job.compute, t->job.model, &t->study.model, fault) ||
        !check_tune_chains(t, fault) || !tune_openings(t, fault))
        return false;
    t->job.sample = (long)max_size(1, min_size(SAMPLE, t->study.n_openings / 4));
    return true;
}

static bool tune_run(Fault *fault) {
    Tune *t = &asked;
    t->job.prompts = t->documents, t->study.job = &t->job;
    name_chains(t);
    if (!choose_model(&t->job.model, fault) || !compute_open(&t->job.compute, fault))
        return false;
    bool ok = open_tune(t, fault) && measure_rows(t, fault) && tune_report(t, fault);
    t->job.n_chains = 0; /* no texts are left */
    study_close_texts(&t->study);
    file_drop(&t->picture);
    if (t->table) fclose(t->table);
    free(t->bytes);
    compute_close_model(&t->study.model);
    compute_close(&t->job.compute);
    return ok;
}

static bool tune_check(Fault *fault) {
    if (!asked.documents)
        return fault_set(fault, "no documents: wanted --documents FILE, one per line or with "
                                "lines <|endoftext|> between them");
    return !asked.out || strcmp(asked.out, "-") != 0 ||
           fault_set(fault, "--out -: wanted the name of a file that a second run can go on "
                            "with. The table on stdout is printed without --out");
}

static const Option tune_options[] = {
    {"--documents", OPT_TEXT, &asked.documents, "FILE",
     "texts as you want them: one per line, or with a line <|endoftext|> after each (-: "
     "stdin)"},
    {"--chains", OPT_LIST, &tune_chains, "SPEC", "one or more chains (24 common settings)"},
    MODEL_OPTION(asked.job.model),
    {"--keep", OPT_REAL(0, 100), &asked.keep, "PERCENT",
     "share of the documents that the recommended chain keeps at least (90)"},
    {"--out", OPT_OUTPUT, &asked.out, "FILE",
     "CSV with a row for each chain, written as each is measured; the same command again goes "
     "on where it was stopped"},
    {"--plot", OPT_OUTPUT, &asked.plot, "FILE",
     "also draw the chains as SVG: surprisal and dist-2 against kept"},
    {"--seeds", OPT_INT(1, OPTION_MANY), &asked.job.seeds, "N", "texts per document (1)"},
    {"--seed", OPT_SEED, &asked.job.seed, "N", "random seed (1)"},
    {"--words", OPT_INT(1, OPTION_MANY), &asked.job.words, "N",
     "words of a document that the texts begin with (4)"},
    {"-n", OPT_INT(1, OPTION_MANY), &asked.job.max_tokens, "N",
     "maximum tokens after them, of texts and of documents (100)"},
    COMPUTE_OPTIONS(asked.job.compute),
    {0},
};

const Command command_tune = {
    .name = "tune",
    .usage = "tune --documents FILE [--chains SPEC SPEC ...] [options]",
    .about = "Find the chain that suits a model and documents of yours.  The model reads each "
             "document once, which shows what\n"
             "every chain would have cut; then each chain continues the documents' first "
             "words.  With 95 % intervals:\n"
             "\n"
             "  kept      share of the documents in which the chain cuts no token\n"
             "  dist-2    distinct 2-grams / all of what it writes, in samples of one size\n"
             "  surprise  nats per token of what it writes, under the model before the chain\n"
             "\n"
             "The documents have a row of their own.  A chain marked * is on the frontier: no "
             "other keeps as much and is as near\n"
             "to the documents' surprisal and dist-2.  Recommended is, of the chains that keep "
             "at least --keep, the one whose\n"
             "surprisal is nearest to the documents'.",
    .examples = {"strata tune --documents mine.txt --out tune.csv --plot tune.svg"},
    .options = tune_options,
    .brief = "--documents --chains -m --keep --out --plot --seeds -n --threads",
    .words = tune_more,
    .max_words = MAX_CHAINS - 1 - OPTION_LIST,
    .check = tune_check,
    .run = tune_run};
