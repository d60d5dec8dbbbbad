/* rerank.c - strata rerank: sorts documents by their relevance to a query. */
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
    TokenList tokens; /* owned; query and document */
    size_t second, index;
    float score;
} Document;

static struct {
    const char *model, *query, *file;
    long top;
    bool json;
    ComputeOptions compute;
    /* what became of it */
    char *lines; /* of the file; owned */
    size_t count, longest;
} asked = {.compute = {.kv = "f32"}};

static const char *rerank_texts[MAX_TEXTS];
static Document rerank_documents[MAX_TEXTS];

/* ------------------------------------------------------------------ the documents */

static bool read_rerank_documents(Fault *fault) {
    static Text texts[MAX_TEXTS];
    for (; asked.count < MAX_TEXTS && rerank_texts[asked.count]; asked.count++)
        texts[asked.count] = text_of(rerank_texts[asked.count]);
    if (asked.file &&
        !read_lines(asked.file, texts, &asked.count, MAX_TEXTS, &asked.lines, fault))
        return false;
    for (size_t i = 0; i < asked.count; i++) {
        if (!texts[i].size)
            return fault_set(fault, "document %zu is empty: wanted some words", i + 1);
        rerank_documents[i] = (Document){.text = texts[i], .index = i};
    }
    return asked.count ||
           fault_set(fault, "no documents: give texts, or a file with --documents");
}

/* ------------------------------------------------------------------ the scores */

static bool encode_rerank_documents(const Model *m, Fault *fault) {
    for (size_t i = 0; i < asked.count; i++) {
        Document *d = &rerank_documents[i];
        char name[40];
        if (!rerank_encode(m, text_of(asked.query), d->text, &d->tokens, &d->second, fault)) {
            snprintf(name, sizeof name, "document %zu", i + 1);
            return fault_prefix(fault, name);
        }
        asked.longest = max_size(asked.longest, d->tokens.count);
    }
    return true;
}

/* Best first; ties in input order. */
static int by_rerank_score(const void *a, const void *b) {
    const Document *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->index < y->index ? -1 : 1;
}

static bool rerank_score_documents(LoadedModel *m, Fault *fault) {
    bool ok = rerank_check(m->model, fault) && encode_rerank_documents(m->model, fault);
    if (!ok) return false;
    SessionConfig config = pooling_session(m->model, asked.longest);
    config.kv = asked.compute.kv_format;
    ok = session_open(&m->session, m->model, asked.compute.pool, config, fault);
    for (size_t i = 0; ok && i < asked.count; i++) {
        Document *d = &rerank_documents[i];
        ok = rerank_score(&m->session, &d->tokens, d->second, &d->score, fault);
    }
    if (ok) qsort(rerank_documents, asked.count, sizeof *rerank_documents, by_rerank_score);
    if (ok && asked.top && (size_t)asked.top < asked.count) asked.count = (size_t)asked.top;
    return ok;
}

/* ------------------------------------------------------------------ what is printed */

static void print_rerank_table(void) {
    printf("%10s %5s\n", "score", "text");
    for (size_t i = 0; i < asked.count; i++) {
        const Document *d = &rerank_documents[i];
        printf("%10.4f %5zu  %.*s\n", (double)d->score, d->index + 1, (int)d->text.size,
               d->text.data);
    }
}

static void print_rerank_json(void) {
    printf("{\"query\": "), list_json(stdout, text_of(asked.query));
    printf(", \"results\": [");
    for (size_t i = 0; i < asked.count; i++) {
        const Document *d = &rerank_documents[i];
        printf("%s{\"index\": %zu, \"relevance_score\": %.9g, \"document\": ", i ? ", " : "",
               d->index, (double)d->score);
        list_json(stdout, d->text), printf("}");
    }
    printf("]}\n");
}

/* ------------------------------------------------------------------ the command */

static bool rerank_run(Fault *fault) {
    bool ok = read_rerank_documents(fault) &&
              loaded_run(&asked.model, &asked.compute, rerank_score_documents, fault);
    if (ok) (asked.json ? print_rerank_json : print_rerank_table)();
    for (size_t i = 0; i < MAX_TEXTS; i++) token_list_free(&rerank_documents[i].tokens);
    free(asked.lines);
    return ok;
}

static const Option rerank_options[] = {
    {"-m", OPT_TEXT, &asked.model, "FILE", "a reranking model, a GGUF file"},
    {"--query", OPT_TEXT, &asked.query, "TEXT", "the query"},
    {"--documents", OPT_TEXT, &asked.file, "FILE", "one document per line (-: stdin)"},
    {"--top", OPT_INT(1, MAX_TEXTS), &asked.top, "N", "print only the N best (all)"},
    {"--json", OPT_FLAG, &asked.json, NULL, "print scores as JSON, documents counted from 0"},
    KV_F32_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool rerank_check_query(Fault *fault) {
    return (asked.query && *asked.query) || fault_set(fault, "no query: give --query TEXT");
}

const Command command_rerank = {
    .name = "rerank",
    .usage = "rerank -m FILE --query TEXT [TEXT ...] [options]",
    .about = "Rank documents by how well they answer a query, the best first, with their "
             "scores.  A reranking model\nreads the query and a document as one text.",
    .options = rerank_options,
    .words = rerank_texts,
    .max_words = MAX_TEXTS,
    .check = rerank_check_query,
    .run = rerank_run};
