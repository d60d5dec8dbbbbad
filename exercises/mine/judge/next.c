/* next.c - the library's probabilities of what comes next.  See next.h. */
#include "next.h"

#include "gguf_file.h"

static void eval(Next *next, const int32_t *tokens, size_t n) {
    Fault fault;
    need(session_eval(&next->session, tokens, n, false, &fault), "%s", fault.text);
}

void next_open(Next *next, const char *name, const char *prompt) {
    Fault fault;
    GgufFile file;
    Gguf gguf;
    SessionConfig config = {.sequences = 1, .max_tokens = 64, .max_logits = 1};
    *next = (Next){0};
    need(gguf_open(&file, &gguf, judge_path(name), &fault) &&
             (next->tokenizer = tokenizer_open(&gguf, &fault)),
         "%s", fault.text);
    gguf_close(&file, &gguf);
    need(model_open(&next->model, judge_path(name), &fault) &&
             session_open(&next->session, &next->model, NULL, config, &fault),
         "%s", fault.text);
    next->vocab = (int)next->model.sizes.vocab;
    next->end = tokenizer_eos(next->tokenizer);
    need(next->vocab > 1 && next->vocab <= MOST_TOKENS, "%s has %d tokens, at most %d are read",
         judge_path(name), next->vocab, MOST_TOKENS);
    tokenizer_begin(next->tokenizer, &next->prompt);
    need(tokenizer_encode(next->tokenizer, text_of(prompt), false, &next->prompt, &fault), "%s",
         fault.text);
    eval(next, next->prompt.ids, next->prompt.count);
}

void next_close(Next *next) {
    token_list_free(&next->prompt);
    session_close(&next->session);
    model_close(&next->model);
    tokenizer_close(next->tokenizer);
}

void next_chances(const Next *next, double temperature, double *p) {
    const float *logit = next->session.logits;
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < next->vocab; i++) largest = fmax(largest, (double)logit[i]);
    for (int i = 0; i < next->vocab; i++)
        sum += p[i] = exp(((double)logit[i] - largest) / temperature);
    for (int i = 0; i < next->vocab; i++) p[i] /= sum;
}

void next_read(Next *next, int token) { eval(next, &(int32_t){token}, 1); }

void next_rewind(Next *next, size_t length) { session_rewind(&next->session, 0, length); }

Text next_bytes(const Next *next, int token) {
    return tokenizer_piece(next->tokenizer, token, false);
}

static const double *order_by;
static int by_chance(const void *a, const void *b) {
    int i = *(const int *)a, k = *(const int *)b;
    double x = order_by[i], y = order_by[k];
    return x == y ? i - k : (x < y) - (x > y);
}

void next_order(const double *p, int vocab, int *order) {
    for (int i = 0; i < vocab; i++) order[i] = i;
    order_by = p;
    qsort(order, (size_t)vocab, sizeof *order, by_chance);
}

Text next_drawn(const char *name, int n, double temperature, const char *prompt) {
    size_t size = strlen(prompt);
    int seed = judge_between(1, 2000000000);
    Reply r =
        ask("generate %s %d %g %d \"%s\"", judge_path(name), n, temperature, seed, prompt);
    need(r.size > size && strncmp(r.text, prompt, size) == 0 && r.text[r.size - 1] == '\n',
         "print the prompt, what follows and a newline: \"%s\"", prompt);
    return (Text){r.text + size, r.size - size - 1};
}
