/* embed.c - strata embed: texts as vectors, and how alike they are. */
#include "commands.h"
#include "input.h"
#include "loaded_model.h"
#include "pooling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TEXTS = 4096 };

typedef struct Job {
    const char *model, *pooling_name, *file;
    bool raw, json, csv;
    ComputeOptions compute;
    /* what became of it */
    char *lines; /* of the file; owns */
    Text texts[MAX_TEXTS];
    size_t n_texts;
    Pooling pooling;
    size_t dim, longest;         /* of the texts, in tokens */
    TokenList tokens[MAX_TEXTS]; /* own */
    float *vectors[MAX_TEXTS];   /* (rows, dim) each; own */
    size_t rows[MAX_TEXTS];      /* 1; with --pooling none one for each token */
} Job;

/* ------------------------------------------------------------------ the vectors */

static bool read_text(Job *job, const LoadedModel *m, size_t i, Fault *fault) {
    TokenList *tokens = &job->tokens[i];
    if (!loaded_tokenize(m, job->texts[i], false, tokens, fault)) return false;
    tokenizer_end(m->model->tokenizer, tokens);
    if (tokens->count == 0 || !job->texts[i].size)
        return fault_set(fault, "text %zu is empty: wanted some words", i + 1);
    if (tokens->count > m->model->sizes.ctx)
        return fault_set(fault, "text %zu has %zu tokens, the model reads %zu: shorten it",
                         i + 1, tokens->count, m->model->sizes.ctx);
    job->longest = max_size(job->longest, tokens->count);
    return true;
}

static bool embed_text(Job *job, LoadedModel *m, size_t i, Fault *fault) {
    const TokenList *tokens = &job->tokens[i];
    job->rows[i] = job->pooling == POOLING_NONE ? tokens->count : 1;
    job->vectors[i] = malloc(job->rows[i] * job->dim * sizeof *job->vectors[i]);
    if (!job->vectors[i]) return fault_set(fault, "no memory for %zu rows", job->rows[i]);
    if (!pooling_run(&m->session, job->pooling, tokens->ids, tokens->count, 0, job->vectors[i],
                     fault))
        return false;
    for (size_t r = 0; r < job->rows[i]; r++) {
        float *row = job->vectors[i] + r * job->dim;
        if (!job->raw && job->pooling != POOLING_RANK) pooling_normalize(row, job->dim);
        if (!isfinite(pooling_cosine(row, row, job->dim)))
            return fault_set(fault, "text %zu: the model's numbers are not finite", i + 1);
    }
    return true;
}

static bool embed_all(Job *job, LoadedModel *m, Fault *fault) {
    bool ok = true;
    job->dim = pooling_width(m->model, job->pooling);
    for (size_t i = 0; ok && i < job->n_texts; i++) ok = read_text(job, m, i, fault);
    if (!ok) return false;
    SessionConfig config = pooling_session(m->model, job->longest);
    config.kv = job->compute.kv_format;
    ok = session_open(&m->session, m->model, job->compute.pool, config, fault);
    for (size_t i = 0; ok && i < job->n_texts; i++) ok = embed_text(job, m, i, fault);
    return ok;
}

/* ------------------------------------------------------------------ what is printed */

/* %.9g restores every float. */
static void print_row(const float *row, size_t dim, const char *between) {
    for (size_t k = 0; k < dim; k++) printf("%s%.9g", k ? between : "", (double)row[k]);
}

static double cosine(const Job *job, size_t i, size_t k) {
    return pooling_cosine(job->vectors[i], job->vectors[k], job->dim);
}

static bool has_cosines(const Job *job) {
    return job->n_texts > 1 && job->pooling != POOLING_NONE && job->pooling != POOLING_RANK;
}

static void print_text(const Job *job) {
    for (size_t i = 0; i < job->n_texts; i++)
        for (size_t r = 0; r < job->rows[i]; r++) {
            print_row(job->vectors[i] + r * job->dim, job->dim, " ");
            printf("\n");
        }
    if (!has_cosines(job)) return;
    printf("\ncosine");
    for (size_t i = 0; i < job->n_texts; i++) printf(" %7zu", i + 1);
    for (size_t i = 0; i < job->n_texts; i++) {
        printf("\n%6zu", i + 1);
        for (size_t k = 0; k < job->n_texts; k++) printf(" %7.4f", cosine(job, i, k));
        printf("  %.*s", (int)min_size(60, job->texts[i].size), job->texts[i].data);
    }
    printf("\n");
}

static void print_csv(const Job *job) {
    printf("text,row");
    for (size_t k = 0; k < job->dim; k++) printf(",x%zu", k);
    for (size_t i = 0; i < job->n_texts; i++)
        for (size_t r = 0; r < job->rows[i]; r++) {
            printf("\n%zu,%zu,", i + 1, r + 1);
            print_row(job->vectors[i] + r * job->dim, job->dim, ",");
        }
    printf("\n");
}

static void print_json(const Job *job) {
    printf("{\"pooling\": \"%s\", \"dim\": %zu, \"vectors\": [", pooling_name(job->pooling),
           job->dim);
    for (size_t i = 0; i < job->n_texts; i++) {
        printf("%s[", i ? ", " : "");
        for (size_t r = 0; r < job->rows[i]; r++) {
            printf("%s", job->pooling == POOLING_NONE ? r ? ", [" : "[" : "");
            print_row(job->vectors[i] + r * job->dim, job->dim, ", ");
            printf("%s", job->pooling == POOLING_NONE ? "]" : "");
        }
        printf("]");
    }
    printf("]");
    if (has_cosines(job)) printf(", \"cosines\": [");
    for (size_t i = 0; has_cosines(job) && i < job->n_texts; i++)
        for (size_t k = 0; k < job->n_texts; k++)
            printf("%s%.9g%s",
                   k   ? ", "
                   : i ? ", ["
                       : "[",
                   cosine(job, i, k), k + 1 == job->n_texts ? "]" : "");
    printf("%s}\n", has_cosines(job) ? "]" : "");
}

/* ------------------------------------------------------------------ the command */

static bool choose_pooling(Job *job, const Model *m, Fault *fault) {
    job->pooling = pooling_of_model(m);
    if (job->pooling_name && !pooling_parse(job->pooling_name, &job->pooling, fault))
        return false;
    return pooling_check(m, job->pooling, fault);
}

static bool run_model(LoadedModel *m, void *context, Fault *fault) {
    return choose_pooling(context, m->model, fault) && embed_all(context, m, fault);
}

static bool run_job(Job *job, Fault *fault) {
    bool ok = !job->file ||
              read_lines(job->file, job->texts, &job->n_texts, MAX_TEXTS, &job->lines, fault);
    ok = ok && (job->n_texts || fault_set(fault, "%.200s has no text", job->file));
    ok = ok && loaded_run(&job->model, &job->compute, run_model, job, fault);
    if (ok) (job->json ? print_json : job->csv ? print_csv : print_text)(job);
    for (size_t i = 0; i < job->n_texts; i++)
        free(job->vectors[i]), token_list_free(&job->tokens[i]);
    free(job->lines);
    return ok;
}

static const OptionRule rules[] = {
    {"--json", NOT_WITH, "--csv", "each is a way to print the same: take one"},
    {0},
};

static int run(int argc, char **argv) {
    static Job job = {.compute = {.kv = "f32"}};
    static const char *words[MAX_TEXTS];
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model in GGUF format (the storyteller in the box)"},
        {"--pooling", OPT_TEXT, &job.pooling_name, "NAME",
         "how the rows of a text's tokens become one vector: mean, last, cls (the first), "
         "none, "
         "or rank: its scores (as the model's file says, else mean)"},
        {"--texts", OPT_TEXT, &job.file, "FILE", "one text a line (-: standard input)"},
        {"--raw", OPT_FLAG, &job.raw, NULL, "vectors as they come, not of length 1"},
        {"--json", OPT_FLAG, &job.json, NULL, "vectors and cosines as JSON"},
        {"--csv", OPT_FLAG, &job.csv, NULL, "vectors as CSV"},
        KV_F32_OPTION(job.compute),
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    const CommandLine line = {
        argc,
        argv,
        "embed [-m FILE] [TEXT ...] [options]",
        "Each text as a vector, one line each, and for several texts the table of their "
        "cosines: 1 for the same direction,\n0 for nothing in common.",
        options,
        rules};
    int status = command_line_read(&line, words, 0, MAX_TEXTS);
    if (status >= 0) return status;
    for (; job.n_texts < MAX_TEXTS && words[job.n_texts]; job.n_texts++)
        job.texts[job.n_texts] = text_of(words[job.n_texts]);
    if (!job.n_texts && !job.file) {
        fault_set(&fault, "there is no text: wanted texts, or a file of them with --texts");
        return wrong_usage(&fault, line.usage);
    }
    return run_job(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_embed = {.name = "embed", .run = run};
