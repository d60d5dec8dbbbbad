/* logits.c - strata logits: the logits of the next token. */
#include "commands.h"
#include "loaded_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *model, *tokens;
    bool last;
    TokenList ids;
    ComputeOptions compute;
} asked = {.compute = {.kv = "f32"}};

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

/* %.9g round-trips every float.
 *
 * Fails on a NaN, naming it, before its row is printed. */
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

static bool print_logits(Session *s, const TokenList *tokens, Fault *fault) {
    const size_t source = model_source(s->model, tokens->ids, tokens->count);
    if (asked.last) {
        if (!session_eval(s, tokens->ids, tokens->count, false, fault)) return false;
        return print_rows(s, tokens->count - 1, 1, fault);
    }
    for (size_t at = 0, n; at < tokens->count; at += n) {
        size_t silent = at ? 0 : source; /* evaluated in one batch, without logits */
        n = min_size(tokens->count - at, silent + ROWS);
        if (!session_eval(s, tokens->ids + at, n, true, fault) ||
            !print_rows(s, at + silent, n - silent, fault))
            return false;
    }
    return true;
}

static bool loaded_logits(LoadedModel *m, Fault *fault) {
    const TokenList *tokens = &asked.ids;
    SessionConfig config = {.ctx = tokens->count,
                            .sequences = 1,
                            .max_tokens =
                                ROWS + model_source(m->model, tokens->ids, tokens->count),
                            .max_logits = ROWS,
                            .kv = asked.compute.kv_format};
    if (tokens->count > m->model->sizes.ctx)
        return fault_set(fault, "%zu tokens are more than the model's context of %zu",
                         tokens->count, m->model->sizes.ctx);
    return session_open(&m->session, m->model, asked.compute.pool, config, fault) &&
           print_logits(&m->session, tokens, fault);
}

static bool logits_run(Fault *fault) {
    bool ok = parse_tokens(asked.tokens, &asked.ids, fault) &&
              loaded_run(&asked.model, &asked.compute, loaded_logits, fault);
    token_list_free(&asked.ids);
    return ok;
}

static const Option logits_options[] = {
    MODEL_OPTION(asked.model),
    {"--tokens", OPT_TEXT, &asked.tokens, "1,2,3", "the token ids to evaluate, exactly these"},
    {"--last", OPT_FLAG, &asked.last, NULL, "print only the logits after the last token"},
    KV_F32_OPTION(asked.compute),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool logits_check(Fault *fault) {
    return asked.tokens || fault_set(fault, "--tokens is missing");
}

const Command command_logits = {
    .name = "logits",
    .usage = "logits [-m FILE] --tokens 1,2,3 [--last]",
    .about = "Lines `position<TAB>token<TAB>logit` for every position and every token.",
    .options = logits_options,
    .check = logits_check,
    .run = logits_run};
