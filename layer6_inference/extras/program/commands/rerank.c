/* rerank.c - strata rerank: documents in the order in which they answer a query. */
#include "commands.h"
#include "input.h"
#include "listing.h"
#include "loaded_model.h"
#include "pooling.h"
#include "rerank.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_TEXTS = 4096 };

typedef struct Document {
    Text text;
    TokenList tokens; /* owns; query and document */
    size_t second, index;
    float score;
} Document;

typedef struct Job {
    const char *model, *query, *file;
    const char *texts[MAX_TEXTS];
    long top;
    bool json;
    ComputeOptions compute;
    /* what became of it */
    char *lines; /* of the file; owns */
    Document documents[MAX_TEXTS];
    size_t count, longest;
} Job;

/* ------------------------------------------------------------------ the documents */

static bool read_documents(Job *job, Fault *fault) {
    static Text texts[MAX_TEXTS];
    for (; job->count < MAX_TEXTS && job->texts[job->count]; job->count++)
        texts[job->count] = text_of(job->texts[job->count]);
    if (job->file && !read_lines(job->file, texts, &job->count, MAX_TEXTS, &job->lines, fault))
        return false;
    for (size_t i = 0; i < job->count; i++) {
        if (!texts[i].size)
            return fault_set(fault, "document %zu is empty: wanted some words", i + 1);
        job->documents[i] = (Document){.text = texts[i], .index = i};
    }
    return job->count || fault_set(fault, "there is no document: wanted texts, or a file of "
                                          "them with --documents");
}

/* ------------------------------------------------------------------ the scores */

static bool encode_documents(Job *job, const Model *m, Fault *fault) {
    for (size_t i = 0; i < job->count; i++) {
        Document *d = &job->documents[i];
        char name[40];
        if (!rerank_encode(m, text_of(job->query), d->text, &d->tokens, &d->second, fault)) {
            snprintf(name, sizeof name, "document %zu", i + 1);
            return fault_prefix(fault, name);
        }
        job->longest = max_size(job->longest, d->tokens.count);
    }
    return true;
}

/* The best first; of equals the one that came first. */
static int by_score(const void *a, const void *b) {
    const Document *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->index < y->index ? -1 : 1;
}

static bool score_documents(Job *job, LoadedModel *m, Fault *fault) {
    bool ok = rerank_check(m->model, fault) && encode_documents(job, m->model, fault);
    if (!ok) return false;
    SessionConfig config = pooling_session(m->model, job->longest);
    config.kv = job->compute.kv_format;
    ok = session_open(&m->session, m->model, job->compute.pool, config, fault);
    for (size_t i = 0; ok && i < job->count; i++) {
        Document *d = &job->documents[i];
        ok = rerank_score(&m->session, &d->tokens, d->second, &d->score, fault);
    }
    if (ok) qsort(job->documents, job->count, sizeof *job->documents, by_score);
    if (ok && job->top && (size_t)job->top < job->count) job->count = (size_t)job->top;
    return ok;
}

/* ------------------------------------------------------------------ what is printed */

static void print_table(const Job *job) {
    printf("%10s %5s\n", "score", "text");
    for (size_t i = 0; i < job->count; i++) {
        const Document *d = &job->documents[i];
        printf("%10.4f %5zu  %.*s\n", (double)d->score, d->index + 1, (int)d->text.size,
               d->text.data);
    }
}

static void print_json(const Job *job) {
    printf("{\"query\": "), list_json(stdout, text_of(job->query));
    printf(", \"results\": [");
    for (size_t i = 0; i < job->count; i++) {
        const Document *d = &job->documents[i];
        printf("%s{\"index\": %zu, \"relevance_score\": %.9g, \"document\": ", i ? ", " : "",
               d->index, (double)d->score);
        list_json(stdout, d->text), printf("}");
    }
    printf("]}\n");
}

/* ------------------------------------------------------------------ the command */

static bool run_model(LoadedModel *m, void *context, Fault *fault) {
    return score_documents(context, m, fault);
}

static bool run_job(Job *job, Fault *fault) {
    bool ok = read_documents(job, fault) &&
              loaded_run(&job->model, &job->compute, run_model, job, fault);
    if (ok) (job->json ? print_json : print_table)(job);
    for (size_t i = 0; i < MAX_TEXTS; i++) token_list_free(&job->documents[i].tokens);
    free(job->lines);
    return ok;
}

static int run(int argc, char **argv) {
    static Job job = {.compute = {.kv = "f32"}};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE", "a model that scores pairs, in GGUF format"},
        {"--query", OPT_TEXT, &job.query, "TEXT", "what the documents shall answer"},
        {"--documents", OPT_TEXT, &job.file, "FILE", "one document a line (-: standard input)"},
        {"--top", OPT_INT(1, MAX_TEXTS), &job.top, "N", "print the N best (all)"},
        {"--json", OPT_FLAG, &job.json, NULL, "scores as JSON, documents counted from 0"},
        KV_F32_OPTION(job.compute),
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    const CommandLine line = {
        argc,
        argv,
        "rerank -m FILE --query TEXT [TEXT ...] [options]",
        "Documents in the order in which they answer a query, the best first, each with its "
        "score: a model made for it\nreads the query and a document as one text.",
        options,
        NULL};
    int status = command_line_read(&line, job.texts, 0, MAX_TEXTS);
    if (status >= 0) return status;
    if (!job.query || !*job.query) {
        fault_set(&fault, "there is no query: wanted --query TEXT");
        return wrong_usage(&fault, line.usage);
    }
    return run_job(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_rerank = {.name = "rerank", .run = run};
