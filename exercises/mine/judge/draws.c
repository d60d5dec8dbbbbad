/* draws.c - chapter 12: a draw is by the probabilities.  The program draws the token after one
 * prompt with many seeds, and the library says how likely each was.  See judge.h. */
#include "chapters.h"

#include "gguf_file.h"

enum { DRAWS = 150, MOST_TOKENS = 4096, MOST_GROUPS = 16 };

typedef struct Next {
    Tokenizer *tokenizer;
    double logit[MOST_TOKENS];
    int vocab, same_as[MOST_TOKENS]; /* same_as: the first token with the same bytes */
} Next;

static Text bytes_of(const Next *next, int token) {
    return tokenizer_piece(next->tokenizer, token, false);
}

/* The library's logits of the token after a prompt. */
static void read_next(Next *next, const char *name, const char *prompt) {
    Fault fault;
    GgufFile file;
    Gguf gguf;
    TokenList tokens = {0};
    char ids[2000] = "";
    int status;
    need(gguf_open(&file, &gguf, judge_path(name), &fault) &&
             (next->tokenizer = tokenizer_open(&gguf, &fault)),
         "%s", fault.text);
    gguf_close(&file, &gguf);
    tokenizer_begin(next->tokenizer, &tokens);
    need(tokenizer_encode(next->tokenizer, text_of(prompt), false, &tokens, &fault), "%s",
         fault.text);
    for (size_t i = 0, at = 0; i < tokens.count; i++)
        at += (size_t)snprintf(ids + at, sizeof ids - at, "%s%d", i ? "," : "", tokens.ids[i]);
    token_list_free(&tokens);
    Reply r = judge_strata(&status, "logits -m %s --tokens %s --last --kv f32",
                           judge_path(name), ids);
    next->vocab = (int)(r.n / 3);
    need(status == 0 && next->vocab > 1 && next->vocab <= MOST_TOKENS,
         "strata does not read %s", judge_path(name));
    for (int i = 0; i < next->vocab; i++) {
        next->logit[i] = r.numbers[3 * i + 2], next->same_as[i] = i;
        for (int k = i; k-- > 0;)
            if (text_equal(bytes_of(next, k), bytes_of(next, i))) next->same_as[i] = k;
    }
}

static const double *order_by;
static int by_logit(const void *a, const void *b) {
    double x = order_by[*(const int *)a], y = order_by[*(const int *)b];
    return (x < y) - (x > y);
}

/* Tokens from the likeliest on, in groups of about a tenth of the probability each: where a
 * thousand tokens share 150 draws, each by itself tells little. */
static int groups_of(const Next *next, double temperature, int *group, double *p) {
    static int order[MOST_TOKENS];
    double sum = 0;
    int n = 0, best;
    for (int i = 0; i < next->vocab; i++) order[i] = i;
    order_by = next->logit;
    qsort(order, (size_t)next->vocab, sizeof *order, by_logit);
    best = order[0];
    for (int i = 0; i < next->vocab; i++)
        sum += exp((next->logit[i] - next->logit[best]) / temperature);
    memset(p, 0, MOST_GROUPS * sizeof *p);
    for (int i = 0; i < next->vocab; i++) {
        if (p[n] >= 0.08) n++;
        group[order[i]] = n;
        p[n] += exp((next->logit[order[i]] - next->logit[best]) / temperature) / sum;
    }
    return n + 1;
}

/* The token that the program has put behind the prompt. */
static int drawn(const Next *next, const char *name, const char *prompt, double temperature) {
    size_t size = strlen(prompt);
    int seed = judge_between(1, 2000000000);
    Reply r = ask("generate %s 1 %g %d \"%s\"", judge_path(name), temperature, seed, prompt);
    need(r.size > size && strncmp(r.text, prompt, size) == 0 && r.text[r.size - 1] == '\n',
         "print the prompt, what follows and a newline: \"%s\"", prompt);
    Text text = {r.text + size, r.size - size - 1};
    for (int i = 0; i < next->vocab; i++)
        if (text_equal(bytes_of(next, i), text)) return i;
    refuse("with N = 1 the text after \"%s\" is \"%.*s\", which is no token of the model",
           prompt, (int)text.size, text.data);
}

void judge_draws(const char *name, double temperature) {
    static const char prompt[] = "Once upon a time there was a"; /* many words may follow */
    static Next next;
    static int group[MOST_TOKENS];
    double p[MOST_GROUPS], evenly = 0;
    long count[MOST_GROUPS] = {0}, likely = 0;
    read_next(&next, name, prompt);
    int n = groups_of(&next, temperature, group, p), half = n / 2;
    for (int i = 0; i < DRAWS; i++) {
        int g = group[drawn(&next, name, prompt, temperature)];
        count[g]++, likely += g < half;
    }
    for (int i = 0; i < next.vocab; i++)
        evenly += (group[i] < half) * (double)DRAWS / next.vocab;
    tokenizer_close(next.tokenizer);
    if (odds_apart(p, count, n) < 5.2) return;
    need((double)likely > 3 * evenly + 5,
         "at temperature %g tokens are drawn evenly: draw them by their probabilities",
         temperature);
    refuse(
        "of %d draws at temperature %g after \"%s\", each with a seed of its own, %ld were "
        "among the likeliest tokens that share %.2f of the probability, expected about %.0f: "
        "are the scores divided by the temperature, and is a seed mixed well before its "
        "first draw?",
        DRAWS, temperature, prompt, count[0], p[0], p[0] * DRAWS);
}
