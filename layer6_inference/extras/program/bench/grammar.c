/* grammar.c - strata bench grammar: microseconds per mask, for JSON and for function calls.
 *
 * Each grammar is compiled and walked along the tokens of a valid text: at each token the mask
 * is computed, then the token is accepted.  Everything runs twice: first cold, then warm, as in
 * a server that gets the same request again. */
#include "grammar_bench.h"
#include "grammar.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8192 /* max times of a kind */, FORESEEN = 24 };

typedef enum TimeKind { FIRST, MASK, TAKE, KINDS } TimeKind;

typedef struct Times {
    double of[KINDS][MOST];
    size_t count[KINDS], tokens, forced;
} Times;

static void grammar_note(Times *t, TimeKind kind, double since) {
    if (t->count[kind] < MOST) t->of[kind][t->count[kind]++] = own_seconds() - since;
}

/* ------------------------------------------------------------------ what is measured */

/* Compute a mask before every token of a text, and one after the last. */
static bool grammar_follow(Grammar *g, const TokenList *tokens, Times *t, const char *text,
                           Fault *fault) {
    uint32_t row = grammar_begin(g);
    size_t words, known = 0; /* known: forced tokens */
    int32_t next[FORESEEN];
    for (size_t i = 0; i <= tokens->count; i++) {
        double before = own_seconds();
        grammar_mask(g, row, &words);
        if (i > 0) grammar_note(t, MASK, before);
        if (i >= known) {
            size_t n = grammar_forced(g, row, next, FORESEEN), right = 0;
            while (right < n && i + right < tokens->count &&
                   next[right] == tokens->ids[i + right])
                right++;
            t->forced += right, known = i + right;
        }
        if (i == tokens->count) break;
        before = own_seconds();
        row = grammar_take(g, row, tokens->ids[i]);
        grammar_note(t, TAKE, before);
        if (row == GRAMMAR_DEAD)
            return fault_set(fault, "token %zu of this text is refused: %s", i, text);
    }
    t->tokens += tokens->count;
    return grammar_is_complete(g, row) ||
           fault_set(fault, "this text is not complete: %s", text);
}

static bool grammar_measure(const Tokenizer *words, const char *schema, const char *text,
                            Times *t, Fault *fault) {
    const GrammarOptions options = {.space = JSON_SPACE_ONE};
    Grammar *g = NULL;
    TokenList tokens = {0};
    size_t n;
    double before = own_seconds();
    bool ok = grammar_from_schema(&g, text_of(schema), &options, fault) &&
              grammar_bind(g, words, fault);
    if (ok) {
        grammar_mask(g, grammar_begin(g), &n);
        grammar_note(t, FIRST, before);
    }
    ok = ok && tokenizer_encode(words, text_of(text), false, &tokens, fault) &&
         grammar_follow(g, &tokens, t, text, fault);
    grammar_close(g);
    token_list_free(&tokens);
    return ok;
}

static bool measure_objects(const Tokenizer *words, Times *t, Fault *fault) {
    char text[BENCH_TEXT], schema[BENCH_TEXT];
    for (size_t i = 0; i < bench_n_objects; i++) {
        bench_object_write(i, schema, text);
        if (!grammar_measure(words, schema, text, t, fault)) return false;
    }
    return true;
}

static bool measure_calls(const Tokenizer *words, Times *t, Fault *fault) {
    char text[BENCH_TEXT], schema[BENCH_TEXT];
    for (size_t i = 0; i < bench_n_calls; i++) {
        bench_call_write(&bench_calls[i], schema, text);
        if (!grammar_measure(words, schema, text, t, fault)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the table */

static void grammar_print_row(const char *what, const char *round, TimeKind kind, Times *t,
                              FILE *csv) {
    static const char *const names[] = {"first mask", "mask", "take"};
    double *x = t->of[kind];
    size_t n = t->count[kind];
    double p50 = 1e6 * percentile(x, n, 0.5), p90 = 1e6 * x[n * 90 / 100],
           p99 = 1e6 * x[n * 99 / 100], max = 1e6 * x[n - 1];
    TABLE_ROW(csv, "%-10s %-8s %-12s %7zu %9.2f %9.2f %9.2f %9.2f\n",
              "%s,%s,%s,%zu,%.3f,%.3f,%.3f,%.3f\n", what, round, names[kind], n, p50, p90, p99,
              max);
}

typedef bool Measure(const Tokenizer *words, Times *t, Fault *fault);

static bool measure_twice(const Tokenizer *words, const char *what, Measure *run, Times *t,
                          FILE *csv, Fault *fault) {
    static const char *const rounds[] = {"first", "again"};
    for (int round = 0; round < 2; round++) {
        memset(t, 0, sizeof *t);
        if (!run(words, t, fault)) return false;
        for (TimeKind kind = FIRST; kind < KINDS; kind++)
            grammar_print_row(what, rounds[round], kind, t, csv);
    }
    printf("%-10s %zu tokens, %zu of them forced (%.1f %%)\n", what, t->tokens, t->forced,
           100.0 * (double)t->forced / (double)t->tokens);
    return true;
}

bool bench_grammar(BenchJob *job, Fault *fault) {
    if (job->folder) return bench_grammar_folder(job, fault);
    if (job->masks) return bench_grammar_masks(job, fault);
    FileOut csv = {0};
    Tokenizer *words = bench_vocabulary(BENCH_VOCABULARY, fault);
    Times *times = malloc(sizeof *times);
    bool ok = words && (times || fault_set(fault, "no memory for %d times", KINDS * MOST)) &&
              (!job->csv || table_begin(&csv, job->csv, fault));
    if (ok) {
        printf("microseconds, %zu tokens%*s %9s %9s %9s %9s %9s\n", tokenizer_count(words), 5,
               "", "count", "p50", "p90", "p99", "max");
        if (csv.stream) fprintf(csv.stream, "what,round,time,count,p50,p90,p99,max\n");
    }
    ok = ok && measure_twice(words, "object", measure_objects, times, csv.stream, fault) &&
         measure_twice(words, "calls", measure_calls, times, csv.stream, fault) &&
         file_end(&csv, fault);
    file_drop(&csv);
    free(times);
    tokenizer_close(words);
    return ok;
}
