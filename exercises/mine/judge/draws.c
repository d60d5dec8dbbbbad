/* draws.c - chapter 12: a draw is by the probabilities.  The program draws the token after one
 * prompt with many seeds, and the library says how likely each was.  See judge.h. */
#include "next.h"

#include "file_map.h"

enum { DRAWS = 150, MOST_GROUPS = 16 };

static const char prompt[] = "Once upon a time there was a"; /* many words may follow */

/* Tokens from the likeliest on, in groups of about a tenth of the probability each: where a
 * thousand tokens share 150 draws, each by itself tells little. */
static int groups_of(const Next *next, const double *chances, int *group, double *p) {
    static int order[MOST_TOKENS];
    int n = 0;
    next_order(chances, next->vocab, order);
    memset(p, 0, MOST_GROUPS * sizeof *p);
    for (int i = 0; i < next->vocab; i++) {
        if (p[n] >= 0.08) n++;
        group[order[i]] = n;
        p[n] += chances[order[i]];
    }
    return n + 1;
}

/* The token that the program has put behind the prompt. */
static int drawn(const Next *next, const char *name, double temperature) {
    Text text = next_drawn(name, 1, temperature, prompt);
    for (int i = 0; i < next->vocab; i++)
        if (text_equal(next_bytes(next, i), text)) return i;
    refuse("with N = 1 the text after \"%s\" is \"%.*s\", which is no token of the model",
           prompt, (int)text.size, text.data);
}

void judge_draws(const char *name, double temperature) {
    static Next next;
    static int group[MOST_TOKENS];
    static double chances[MOST_TOKENS];
    double p[MOST_GROUPS], evenly = 0;
    long count[MOST_GROUPS] = {0}, likely = 0, ends = 0;
    next_open(&next, name, prompt);
    next_chances(&next, temperature, chances);
    int n = groups_of(&next, chances, group, p), half = n / 2;
    for (int i = 0; i < DRAWS; i++) {
        int token = drawn(&next, name, temperature), g = group[token];
        count[g]++, likely += g < half, ends += next_bytes(&next, token).size == 0;
    }
    for (int i = 0; i < next.vocab; i++)
        evenly += (group[i] < half) * (double)DRAWS / next.vocab;
    double end = chances[next.end];
    need(ends > 0 || end * DRAWS < 16,
         "the end token has probability %.2f in %s, and none of %d draws was it: it is drawn "
         "like any other, and ends the text",
         end, judge_path(name), DRAWS);
    next_close(&next);
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

/* The model with two rows of its tables exchanged. */
static void exchange_rows(const char *name, const char *copy, int a, int b) {
    static const char *const tables[] = {"token_embd.weight", "output.weight"};
    Fault fault;
    FileMap file;
    Gguf gguf;
    need(file_open(&file, judge_path(name), &fault) &&
             gguf_parse(&gguf, file.data, file.size, &fault),
         "%s", fault.text);
    FILE *out = judge_input(copy);
    fwrite(file.data, 1, file.size, out);
    for (int i = 0; i < 2; i++) {
        const GgufTensor *t = gguf_find_tensor(&gguf, tables[i]);
        size_t row = t ? t->bytes / t->shape[0] : 0;
        for (int k = 0; t && k < 2; k++) {
            size_t from = (size_t)(k ? a : b) * row, to = (size_t)(k ? b : a) * row;
            fseek(out, (long)(t->data - (const unsigned char *)file.data) + (long)to, SEEK_SET);
            fwrite(t->data + from, 1, row, out);
        }
    }
    fclose(out);
    gguf_free(&gguf);
    file_close(&file);
}

/* Where the output is the embedding's table, the end token's row is also what a text begins
 * with, so that each exchange gives another distribution: the first that suits is taken, at a
 * low temperature where the model knows little. */
void judge_end(const char *name) {
    static Next next;
    static double p[MOST_TOKENS];
    static int order[MOST_TOKENS];
    double heat = 1;
    next_open(&next, name, prompt);
    int end = next.end;
    next_chances(&next, 1, p);
    next_order(p, next.vocab, order);
    next_close(&next);
    for (int n = 0, found = 0; n < 9 && !found; n++) {
        if (order[n] == end) continue;
        exchange_rows(name, "ends.gguf", order[n], end);
        next_open(&next, "ends.gguf", prompt);
        for (heat = 1; heat > 0.1 && !found; heat /= found ? 1 : 2)
            next_chances(&next, heat, p), found = p[end] >= 0.2;
        next_close(&next);
    }
    judge_draws("ends.gguf", heat);
}
