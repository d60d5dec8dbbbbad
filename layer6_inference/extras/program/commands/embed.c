/* embed.c - strata embed: texts as vectors, and their similarity. */
#include "commands.h"
#include "input.h"
#include "loaded_model.h"
#include "pooling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TEXTS = 4096 };

static struct {
    const char *model, *pooling_name, *file;
    bool raw, json, csv;
    ComputeOptions compute;
    /* its vector */
    char *lines; /* of the file; owned */
    size_t n_texts;
    Pooling pooling;
    size_t dim, longest; /* of the texts, in tokens */
} asked = {.compute = {.kv = "f32"}};

static const char *embed_words[MAX_TEXTS];
static Text embed_texts[MAX_TEXTS];
static TokenList embed_tokens[MAX_TEXTS]; /* owned */
static float *embed_vectors[MAX_TEXTS];   /* (rows, dim) each; owned */
static size_t embed_rows[MAX_TEXTS];      /* 1; with --pooling none, one per token */

/* ------------------------------------------------------------------ the vectors */

static bool read_embed_text(const LoadedModel *m, size_t i, Fault *fault) {
    TokenList *tokens = &embed_tokens[i];
    if (!loaded_tokenize(m, embed_texts[i], false, tokens, fault)) return false;
    tokenizer_end(m->model->tokenizer, tokens);
    if (tokens->count == 0 || !embed_texts[i].size)
        return fault_set(fault, "text %zu is empty: wanted some words", i + 1);
    if (tokens->count > m->model->sizes.ctx)
        return fault_set(fault, "text %zu has %zu tokens, the model reads %zu: shorten it",
                         i + 1, tokens->count, m->model->sizes.ctx);
    asked.longest = max_size(asked.longest, tokens->count);
    return true;
}

static bool embed_text(LoadedModel *m, size_t i, Fault *fault) {
    const TokenList *tokens = &embed_tokens[i];
    embed_rows[i] = asked.pooling == POOLING_NONE ? tokens->count : 1;
    embed_vectors[i] = malloc(embed_rows[i] * asked.dim * sizeof *embed_vectors[i]);
    if (!embed_vectors[i]) return fault_set(fault, "no memory for %zu rows", embed_rows[i]);
    if (!pooling_run(&m->session, asked.pooling, tokens->ids, tokens->count, 0,
                     embed_vectors[i], fault))
        return false;
    for (size_t r = 0; r < embed_rows[i]; r++) {
        float *row = embed_vectors[i] + r * asked.dim;
        if (!asked.raw && asked.pooling != POOLING_RANK) pooling_normalize(row, asked.dim);
        if (!isfinite(pooling_cosine(row, row, asked.dim)))
            return fault_set(fault, "text %zu: the model's numbers are not finite", i + 1);
    }
    return true;
}

static bool embed_all(LoadedModel *m, Fault *fault) {
    bool ok = true;
    asked.dim = pooling_width(m->model, asked.pooling);
    for (size_t i = 0; ok && i < asked.n_texts; i++) ok = read_embed_text(m, i, fault);
    if (!ok) return false;
    SessionConfig config = pooling_session(m->model, asked.longest);
    config.kv = asked.compute.kv_format;
    ok = session_open(&m->session, m->model, asked.compute.pool, config, fault);
    for (size_t i = 0; ok && i < asked.n_texts; i++) ok = embed_text(m, i, fault);
    return ok;
}

/* ------------------------------------------------------------------ what is printed */

/* %.9g round-trips every float. */
static void print_embed_row(const float *row, size_t dim, const char *between) {
    for (size_t k = 0; k < dim; k++) printf("%s%.9g", k ? between : "", (double)row[k]);
}

static double embed_cosine(size_t i, size_t k) {
    return pooling_cosine(embed_vectors[i], embed_vectors[k], asked.dim);
}

static bool has_cosines(void) {
    return asked.n_texts > 1 && asked.pooling != POOLING_NONE && asked.pooling != POOLING_RANK;
}

static void print_embed_text(void) {
    for (size_t i = 0; i < asked.n_texts; i++)
        for (size_t r = 0; r < embed_rows[i]; r++) {
            print_embed_row(embed_vectors[i] + r * asked.dim, asked.dim, " ");
            printf("\n");
        }
    if (!has_cosines()) return;
    printf("\ncosine");
    for (size_t i = 0; i < asked.n_texts; i++) printf(" %7zu", i + 1);
    for (size_t i = 0; i < asked.n_texts; i++) {
        printf("\n%6zu", i + 1);
        for (size_t k = 0; k < asked.n_texts; k++) printf(" %7.4f", embed_cosine(i, k));
        printf("  %.*s", (int)min_size(60, embed_texts[i].size), embed_texts[i].data);
    }
    printf("\n");
}

static void print_embed_csv(void) {
    printf("text,row");
    for (size_t k = 0; k < asked.dim; k++) printf(",x%zu", k);
    for (size_t i = 0; i < asked.n_texts; i++)
        for (size_t r = 0; r < embed_rows[i]; r++) {
            printf("\n%zu,%zu,", i + 1, r + 1);
            print_embed_row(embed_vectors[i] + r * asked.dim, asked.dim, ",");
        }
    printf("\n");
}

static void print_embed_json(void) {
    printf("{\"pooling\": \"%s\", \"dim\": %zu, \"vectors\": [", pooling_name(asked.pooling),
           asked.dim);
    for (size_t i = 0; i < asked.n_texts; i++) {
        printf("%s[", i ? ", " : "");
        for (size_t r = 0; r < embed_rows[i]; r++) {
            printf("%s", asked.pooling == POOLING_NONE ? r ? ", [" : "[" : "");
            print_embed_row(embed_vectors[i] + r * asked.dim, asked.dim, ", ");
            printf("%s", asked.pooling == POOLING_NONE ? "]" : "");
        }
        printf("]");
    }
    printf("]");
    if (has_cosines()) printf(", \"cosines\": [");
    for (size_t i = 0; has_cosines() && i < asked.n_texts; i++)
        for (size_t k = 0; k < asked.n_texts; k++)
            printf("%s%.9g%s",
                   k   ? ", "
                   : i ? ", ["
                       : "[",
                   embed_cosine(i, k), k + 1 == asked.n_texts ? "]" : "");
    printf("%s}\n", has_cosines() ? "]" : "");
}

/* ------------------------------------------------------------------ the command */

static bool choose_pooling(const Model *m, Fault *fault) {
    asked.pooling = pooling_of_model(m);
    if (asked.pooling_name && !pooling_parse(asked.pooling_name, &asked.pooling, fault))
        return false;
    return pooling_check(m, asked.pooling, fault);
}

static bool embed_model(LoadedModel *m, Fault *fault) {
    return choose_pooling(m->model, fault) && embed_all(m, fault);
}

static bool embed_run(Fault *fault) {
    for (; asked.n_texts < MAX_TEXTS && embed_words[asked.n_texts]; asked.n_texts++)
        embed_texts[asked.n_texts] = text_of(embed_words[asked.n_texts]);
    bool ok = !asked.file || read_lines(asked.file, embed_texts, &asked.n_texts, MAX_TEXTS,
                                        &asked.lines, fault);
    ok = ok && (asked.n_texts || fault_set(fault, "%.200s has no text", asked.file));
    ok = ok && loaded_run(&asked.model, &asked.compute, embed_model, fault);
    if (ok) (asked.json ? print_embed_json : asked.csv ? print_embed_csv : print_embed_text)();
    for (size_t i = 0; i < asked.n_texts; i++)
        free(embed_vectors[i]), token_list_free(&embed_tokens[i]);
    free(asked.lines);
    return ok;
}

static const OptionRule embed_rules[] = {
    {"--json", NOT_WITH, "--csv", "choose one format"},
    {0},
};

static const Option embed_options[] = {
    MODEL_OPTION(asked.model),
    {"--pooling", OPT_TEXT, &asked.pooling_name, "NAME",
     "how token vectors become one: mean, last, cls (the first), none, or rank, its scores "
     "(the model's own, else mean)"},
    {"--texts", OPT_TEXT, &asked.file, "FILE", "one text per line (-: stdin)"},
    {"--raw", OPT_FLAG, &asked.raw, NULL, "do not scale vectors to length 1"},
    {"--json", OPT_FLAG, &asked.json, NULL, "print vectors and cosines as JSON"},
    {"--csv", OPT_FLAG, &asked.csv, NULL, "print vectors as CSV"},
    KV_F32_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool embed_check(Fault *fault) {
    return embed_words[0] || asked.file ||
           fault_set(fault, "there is no text: wanted texts, or a file of them with --texts");
}

const Command command_embed = {
    .name = "embed",
    .usage = "embed [-m FILE] [TEXT ...] [options]",
    .about = "Print each text as a vector, one per line, and for several texts the table of "
             "their cosines:\n1 for the same direction, 0 for unrelated.",
    .options = embed_options,
    .rules = embed_rules,
    .words = embed_words,
    .max_words = MAX_TEXTS,
    .check = embed_check,
    .run = embed_run};
