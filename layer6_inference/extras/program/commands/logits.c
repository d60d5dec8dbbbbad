/* logits.c - strata logits: the numbers behind the next token. */
#include "commands.h"
#include "compute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    const char *model, *tokens;
    bool last;
    ComputeOptions compute;
} Job;

enum { ROWS = 32 };

static bool parse_tokens(const char *text, TokenList *tokens, Fault *fault) {
    for (const char *at = text;;) {
        char *end;
        long id = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || id < 0 || id > INT32_MAX)
            return fault_set(
                fault, "--tokens is '%.60s': wanted ids with commas between, 1,2,3", text);
        token_list_add(tokens, (int32_t)id);
        if (!*end) return true;
        at = end + 1;
    }
}

/* %.9g restores every float.
 *
 * Fails when one is NaN, naming it, before its row is printed. */
static bool print_rows(const Session *s, size_t first, size_t rows, Fault *fault) {
    size_t vocab = s->model->sizes.vocab;
    for (size_t i = 0; i < rows; i++) {
        const float *row = s->logits + i * vocab;
        for (size_t t = 0; t < vocab; t++)
            if (isnan(row[t]))
                return fault_set(fault,
                                 "position %zu: the logit of token %zu is not a number; the "
                                 "model's weights may be damaged",
                                 first + i, t);
        for (size_t t = 0; t < vocab; t++)
            printf("%zu\t%zu\t%.9g\n", first + i, t, (double)row[t]);
    }
    return true;
}

static bool print_logits(const Job *job, Session *s, const TokenList *tokens, Fault *fault) {
    const size_t source = model_source(s->model, tokens->ids, tokens->count);
    if (job->last) {
        if (!session_eval(s, tokens->ids, tokens->count, false, fault)) return false;
        return print_rows(s, tokens->count - 1, 1, fault);
    }
    for (size_t at = 0, n; at < tokens->count; at += n) {
        size_t silent = at ? 0 : source; /* read at once, and without logits */
        n = min_size(tokens->count - at, silent + ROWS);
        if (!session_eval(s, tokens->ids + at, n, true, fault) ||
            !print_rows(s, at + silent, n - silent, fault))
            return false;
    }
    return true;
}

static bool run_job(Job *job, Fault *fault) {
    Model model;
    Session session;
    TokenList tokens = {0};
    char path[2400];
    if (!choose_model(&job->model, path, sizeof path, fault)) return false;
    bool ok = parse_tokens(job->tokens, &tokens, fault);
    if (ok && (ok = compute_open(&job->compute, fault))) {
        if ((ok = compute_load_model(&job->compute, job->model, &model, fault))) {
            size_t source = model_source(&model, tokens.ids, tokens.count);
            SessionConfig config = {.ctx = tokens.count,
                                    .sequences = 1,
                                    .max_tokens = ROWS + source,
                                    .max_logits = ROWS,
                                    .kv = job->compute.kv_format};
            if (tokens.count > model.sizes.ctx)
                ok = fault_set(fault, "%zu tokens are more than the model's context of %zu",
                               tokens.count, model.sizes.ctx);
            else if ((ok = compute_adapt(&job->compute, &model, fault) &&
                           session_open(&session, &model, job->compute.pool, config, fault))) {
                ok = print_logits(job, &session, &tokens, fault);
                session_close(&session);
            }
            model_close(&model);
        }
        compute_close(&job->compute);
    }
    token_list_free(&tokens);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {.compute = {.kv = "f32"}};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model in GGUF format (the storyteller in the box)"},
        {"--tokens", OPT_TEXT, &job.tokens, "1,2,3", "the token ids to read, exactly these"},
        {"--last", OPT_FLAG, &job.last, NULL, "only the logits after the last token"},
        {"--kv", OPT_TEXT, &job.compute.kv, "FORMAT",
         "keys and values in f32 (the default here, where the model is measured), f16 (as "
         "generate keeps them), bf16, q8_0, q8_0-h, q4_0 or q4_0-h"},
        ADAPTER_OPTION(job.compute),
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    int status = options_read(argc, argv, "logits [-m FILE] --tokens 1,2,3 [--last]",
                              "Lines `position<TAB>token<TAB>logit` for every position and "
                              "every token of the vocabulary.",
                              options, NULL, 0, 0);
    if (status >= 0) return status;
    if (!job.tokens) {
        fprintf(stderr, "strata: --tokens is missing; usage: strata logits [-m FILE] --tokens "
                        "1,2,3 [--last]\n");
        return EXIT_USAGE;
    }
    return run_job(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_logits = {.name = "logits", .run = run};
