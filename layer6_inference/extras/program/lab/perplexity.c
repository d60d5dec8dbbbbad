/* perplexity.c - strata perplexity: a model's perplexity on a text.
 *
 *     |<-- window 0 -->|<-- window 1 -->|          default: disjoint windows; only the second
 *     |  read  | count |  read  | count |          half of each counts, as in llama.cpp
 *
 *     |  read  | count |                           --stride S: a window moves by S tokens,
 *          |  read  | count |                      and its last S count: every token but the
 *               |  read  | count |                 first ones counts once, in a full context
 *
 * Each window begins with the begin-of-sequence token, if the model has one.
 *
 * A text with lines <|endoftext|> is evaluated document by document, as strata train --corpus
 * reads it: a document gets the begin and end tokens, and every token but the first counts
 * once.
 *
 * Perplexity is exp(mean surprisal); its interval is that of the mean (1.96 standard errors),
 * treating surprisals as independent. */
#include "commands.h"
#include "input.h"
#include "loaded_model.h"
#include "surprisal.h"
#include "train.h"
#include "train_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *model, *file;
    long window, stride, max_windows;
    bool json;
    ComputeOptions compute;
} asked = {.window = 512, .file = "-", .compute = {.kv = "f32"}};

typedef struct Measured {
    Surprisal all;
    size_t stride, windows, tokens, documents; /* documents: 0: one text */
} Measured;

/* Was the requested number of windows reached? */
static bool perplexity_is_over(const Measured *m) {
    return asked.max_windows && m->windows == (size_t)asked.max_windows;
}

static bool measure_text(Session *s, const TokenList *text, Measured *m, Fault *fault) {
    size_t n = (size_t)asked.window, stride = asked.stride ? (size_t)asked.stride : n,
           first = asked.stride ? n - 1 - stride : n / 2, count;
    const Tokenizer *t = s->model->tokenizer;
    TokenList begin = {0};
    Progress progress;
    tokenizer_begin(t, &begin);
    if (text->count < n) {
        token_list_free(&begin);
        return fault_set(fault,
                         "the text has %zu token%s, fewer than a window of %zu: give a longer "
                         "text or a smaller --window",
                         text->count, text->count == 1 ? "" : "s", n);
    }
    count = (text->count - n) / stride + 1;
    if (asked.max_windows && count > (size_t)asked.max_windows)
        count = (size_t)asked.max_windows;
    int32_t *window = malloc(n * sizeof *window);
    bool ok = window || fault_set(fault, "no memory for a window");
    progress_start(&progress, "perplexity", "windows", (double)count);
    for (size_t w = 0; ok && w < count; w++) {
        memcpy(window, text->ids + w * stride, n * sizeof *window);
        if (begin.count) window[0] = begin.ids[0];
        ok = surprisal_add(&m->all, s, window, n, first, fault);
        progress_show(&progress, (double)(w + 1));
    }
    if (ok) progress_end(&progress, (double)count);
    m->windows = count, m->stride = stride;
    free(window), token_list_free(&begin);
    return ok;
}

/* One document; if longer than a window, by m's stride.
 *
 *   begins   its first token is the begin-of-sequence token, and repeated in each window */
static bool measure_document(Session *s, TokenList *text, bool begins, Measured *m,
                             Fault *fault) {
    size_t window = (size_t)asked.window;
    for (size_t at = 0, end = 0; end < text->count && !perplexity_is_over(m); at += m->stride) {
        size_t n = min_size(window, text->count - at);
        end = at + n;
        if (begins) text->ids[at] = text->ids[0];
        if (!surprisal_add(&m->all, s, text->ids + at, n, at ? window - m->stride - 1 : 0,
                           fault))
            return false;
        m->windows++;
    }
    return true;
}

static bool measure_documents(Session *s, Text rest, Measured *m, Fault *fault) {
    const Tokenizer *t = s->model->tokenizer;
    const double size = (double)rest.size;
    TokenList text = {0};
    Progress progress;
    bool ok = true;
    m->stride = (size_t)(asked.stride ? asked.stride : asked.window / 2);
    progress_start(&progress, "perplexity", "bytes", size);
    while (ok && rest.size && !perplexity_is_over(m)) {
        Text document = corpus_cut_document(&rest);
        text.count = 0;
        tokenizer_begin(t, &text);
        bool begins = text.count > 0;
        ok = tokenizer_encode(t, document, true, &text, fault);
        if (ok && tokenizer_eos(t) >= 0) token_list_add(&text, tokenizer_eos(t));
        if (ok && document.size && text.count > 1) {
            m->documents++, m->tokens += text.count;
            ok = measure_document(s, &text, begins, m, fault);
        }
        progress_show(&progress, size - (double)rest.size);
    }
    if (ok) progress_end(&progress, size - (double)rest.size);
    token_list_free(&text);
    return ok && (m->all.count || fault_set(fault, "the documents are empty"));
}

static void print_perplexity(const Measured *m) {
    const Surprisal *all = &m->all;
    double n = (double)all->count, mean = all->sum / n,
           deviation = sqrt(fmax(0, all->squares / n - mean * mean)),
           half = 1.96 * deviation / sqrt(n), ppl = exp(mean);
    if (asked.json) {
        printf("{\"perplexity\":%.6f,\"low\":%.6f,\"high\":%.6f,\"nats_per_token\":%.6f,"
               "\"tokens_counted\":%zu,\"tokens\":%zu,\"documents\":%zu,\"windows\":%zu,"
               "\"window\":%ld,\"stride\":%zu}\n",
               ppl, exp(mean - half), exp(mean + half), mean, all->count, m->tokens,
               m->documents, m->windows, asked.window, m->stride);
        return;
    }
    printf("perplexity %.4f (%.4f to %.4f), %.5f nats per token; %zu of %zu tokens counted ",
           ppl, exp(mean - half), exp(mean + half), mean, all->count, m->tokens);
    if (m->documents)
        printf("in %zu documents\n", m->documents);
    else
        printf("in %zu windows of %ld\n", m->windows, asked.window);
}

static bool measure_perplexity(Session *s, Text text, Measured *m, Fault *fault) {
    const Tokenizer *t = s->model->tokenizer;
    TokenList tokens = {0};
    Text rest = text, first = corpus_cut_document(&rest);
    bool marked = first.size + 1 < text.size; /* more than the newline at its end */
    if (marked) return measure_documents(s, text, m, fault);
    tokenizer_begin(t, &tokens);
    bool ok =
        tokenizer_encode(t, text, false, &tokens, fault) && measure_text(s, &tokens, m, fault);
    m->tokens = tokens.count;
    token_list_free(&tokens);
    return ok;
}

static bool perplexity_check(Fault *fault) {
    return asked.stride < asked.window ||
           fault_set(fault, "--stride is %ld: wanted less than the window, %ld", asked.stride,
                     asked.window);
}

static bool perplexity_model(LoadedModel *m, Fault *fault) {
    Measured measured = {0};
    const size_t ctx = m->model->sizes.ctx;
    size_t size;
    if (!option_given("--window") && (size_t)asked.window > ctx) asked.window = (long)ctx;
    if (!perplexity_check(fault) ||
        !loaded_open_exactly(m, &asked.compute, (size_t)asked.window, SURPRISAL_ROWS,
                             "a smaller --window", fault))
        return false;
    char *bytes = read_named(asked.file, &size, fault);
    bool ok =
        bytes &&
        (size || fault_set(fault, "%s is empty: wanted a text",
                           strcmp(asked.file, "-") == 0 ? "standard input" : asked.file)) &&
        measure_perplexity(&m->session, (Text){bytes, size}, &measured, fault);
    if (ok) print_perplexity(&measured);
    free(bytes);
    return ok;
}

static const Option perplexity_options[] = {
    MODEL_OPTION(asked.model),
    {"-f", OPT_TEXT, &asked.file, "FILE", "the text (stdin)"},
    {"--window", OPT_INT(4, OPTION_MANY), &asked.window, "N",
     "tokens per window (512, or the model's context where that is less)"},
    {"--stride", OPT_INT(1, OPTION_MANY), &asked.stride, "S",
     "move the window by S tokens and count its last S (default: disjoint windows, counting "
     "the second half; documents: half a window)"},
    {"--windows", OPT_INT(0, OPTION_MANY), &asked.max_windows, "N",
     "maximum number of windows (0: all)"},
    {"--json", OPT_FLAG, &asked.json, NULL, "print the result as JSON"},
    KV_F32_OPTION(asked.compute),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool perplexity_run(Fault *fault) {
    return loaded_run(&asked.model, &asked.compute, perplexity_model, fault);
}

const Command command_perplexity = {
    .name = "perplexity",
    .usage = "perplexity [-m FILE] [-f TEXT] [options]",
    .about = "Perplexity: exp of the mean surprisal of a text's tokens, with its 95 % "
             "confidence interval.  \nA text with lines <|endoftext|> is read document by "
             "document (strata world).",
    .options = perplexity_options,
    .check = perplexity_check,
    .run = perplexity_run};
