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

typedef struct RerankJob {
    const char *model, *query, *file;
    long top;
    bool json;
    ComputeOptions compute;
    /* what became of it */
    char *lines; /* of the file; owns */
    size_t count, longest;
} RerankJob;

static const char *rerank_texts[MAX_TEXTS];
static Document rerank_documents[MAX_TEXTS];
static RerankJob asked = {.compute = {.kv = "f32"}};

/* ------------------------------------------------------------------ the documents */

static bool read_rerank_documents(RerankJob *job, Fault *fault) {
    static Text texts[MAX_TEXTS];
    for (; job->count < MAX_TEXTS && rerank_texts[job->count]; job->count++)
        texts[job->count] = text_of(rerank_texts[job->count]);
    if (job->file && !read_lines(job->file, texts, &job->count, MAX_TEXTS, &job->lines, fault))
        return false;
    for (size_t i = 0; i < job->count; i++) {
        if (!texts[i].size)
            return fault_set(fault, "document %zu is empty: wanted some words", i + 1);
        rerank_documents[i] = (Document){.text = texts[i], .index = i};
    }
    return job->count ||
           fault_set(fault,
                     "there is no document: wanted texts, or a file of them with --documents");
}

/* ------------------------------------------------------------------ the scores */

static bool encode_rerank_documents(RerankJob *job, const Model *m, Fault *fault) {
    for (size_t i = 0; i < job->count; i++) {
        Document *d = &rerank_documents[i];
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
static int by_rerank_score(const void *a, const void *b) {
    const Document *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->index < y->index ? -1 : 1;
}

static bool rerank_score_documents(LoadedModel *m, Fault *fault) {
    RerankJob *job = &asked;
    bool ok = rerank_check(m->model, fault) && encode_rerank_documents(job, m->model, fault);
    if (!ok) return false;
    SessionConfig config = pooling_session(m->model, job->longest);
    config.kv = job->compute.kv_format;
    ok = session_open(&m->session, m->model, job->compute.pool, config, fault);
    for (size_t i = 0; ok && i < job->count; i++) {
        Document *d = &rerank_documents[i];
        ok = rerank_score(&m->session, &d->tokens, d->second, &d->score, fault);
    }
    if (ok) qsort(rerank_documents, job->count, sizeof *rerank_documents, by_rerank_score);
    if (ok && job->top && (size_t)job->top < job->count) job->count = (size_t)job->top;
    return ok;
}

/* ------------------------------------------------------------------ what is printed */

static void print_rerank_table(const RerankJob *job) {
    printf("%10s %5s\n", "score", "text");
    for (size_t i = 0; i < job->count; i++) {
        const Document *d = &rerank_documents[i];
        printf("%10.4f %5zu  %.*s\n", (double)d->score, d->index + 1, (int)d->text.size,
               d->text.data);
    }
}

static void print_rerank_json(const RerankJob *job) {
    printf("{\"query\": "), list_json(stdout, text_of(job->query));
    printf(", \"results\": [");
    for (size_t i = 0; i < job->count; i++) {
        const Document *d = &rerank_documents[i];
        printf("%s{\"index\": %zu, \"relevance_score\": %.9g, \"document\": ", i ? ", " : "",
               d->index, (double)d->score);
        list_json(stdout, d->text), printf("}");
    }
    printf("]}\n");
}

/* ------------------------------------------------------------------ the command */

static bool rerank_run(Fault *fault) {
    bool ok = read_rerank_documents(&asked, fault) &&
              loaded_run(&asked.model, &asked.compute, rerank_score_documents, fault);
    if (ok) (asked.json ? print_rerank_json : print_rerank_table)(&asked);
    for (size_t i = 0; i < MAX_TEXTS; i++) token_list_free(&rerank_documents[i].tokens);
    free(asked.lines);
    return ok;
}

static const Option rerank_options[] = {
    {"-m", OPT_TEXT, &asked.model, "FILE", "a model that scores pairs, in GGUF format"},
    {"--query", OPT_TEXT, &asked.query, "TEXT", "what the documents shall answer"},
    {"--documents", OPT_TEXT, &asked.file, "FILE", "one document a line (-: standard input)"},
    {"--top", OPT_INT(1, MAX_TEXTS), &asked.top, "N", "print the N best (all)"},
    {"--json", OPT_FLAG, &asked.json, NULL, "scores as JSON, documents counted from 0"},
    KV_F32_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool rerank_check_query(Fault *fault) {
    return (asked.query && *asked.query) ||
           fault_set(fault, "there is no query: wanted --query TEXT");
}

const Command command_rerank = {
    .name = "rerank",
    .usage = "rerank -m FILE --query TEXT [TEXT ...] [options]",
    .about = "Documents in the order in which they answer a query, the best first, each with "
             "its score: a model made for it\nreads the query and a document as one text.",
    .options = rerank_options,
    .words = rerank_texts,
    .max_words = MAX_TEXTS,
    .check = rerank_check_query,
    .run = rerank_run};
