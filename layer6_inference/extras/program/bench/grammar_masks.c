/* grammar_masks.c - strata bench grammar --masks DIR: what masks over 128,000 tokens cost, for
 * each grammar of a folder.
 *
 * Files: NAME.json is a JSON Schema, NAME.gbnf a grammar, NAME.regex a regular expression.
 * Each is compiled; then texts are drawn token by token, any allowed token as likely as any
 * other, and each mask is timed. */
#include "grammar_bench.h"
#include "grammar.h"
#include "input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MASKS_TEXTS = 3, MASKS_LONGEST = 40, MASKS_MOST = MASKS_TEXTS * MASKS_LONGEST };

typedef struct MaskTimes {
    double of[MASKS_MOST];
    size_t count, most_steps;
} MaskTimes;

static const char *masks_kind(const char *name) {
    const char *dot = strrchr(name, '.');
    bool known = dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".gbnf") == 0 ||
                         strcmp(dot, ".regex") == 0);
    return known ? dot + 1 : NULL;
}

static bool masks_compile(Grammar **g, const char *kind, Text source, const Tokenizer *words,
                          Fault *fault) {
    const GrammarOptions options = {
        .space = JSON_SPACE_ONE, .left_recursion = true, .tokenizer = words};
    bool ok = *kind == 'j'   ? grammar_from_schema(g, source, &options, fault)
              : *kind == 'g' ? grammar_from_gbnf(g, source, &options, fault)
                             : grammar_from_regex(g, source, fault);
    return ok && grammar_bind(*g, words, fault);
}

/* Any bit of a mask; -1: none. */
static int32_t masks_draw(const uint64_t *mask, size_t words, Rng *rng) {
    size_t count = 0;
    for (size_t w = 0; w < words; w++) count += (size_t)__builtin_popcountll(mask[w]);
    if (count == 0) return -1;
    size_t nth = rng_below(rng, count), w = 0;
    for (size_t n; nth >= (n = (size_t)__builtin_popcountll(mask[w])); w++) nth -= n;
    uint64_t bits = mask[w];
    while (nth-- > 0) bits &= bits - 1;
    return (int32_t)(64 * w + (size_t)__builtin_ctzll(bits));
}

/* Draw a text; false: a limit was exceeded. */
static bool masks_follow(Grammar *g, Rng *rng, MaskTimes *t) {
    uint32_t row = grammar_begin(g);
    for (size_t i = 0; i < MASKS_LONGEST && row != GRAMMAR_DEAD; i++) {
        size_t words, steps = grammar_size(g).steps;
        double before = own_seconds();
        const uint64_t *mask = grammar_mask(g, row, &words);
        t->of[t->count++] = own_seconds() - before;
        steps = grammar_size(g).steps - steps;
        if (steps > t->most_steps) t->most_steps = steps;
        int32_t token = masks_draw(mask, words, rng);
        if (token < 0 || grammar_is_exhausted(g)) break;
        uint32_t next = grammar_take(g, row, token);
        if (next == row && grammar_is_complete(g, row)) break; /* an end of text */
        row = next;
    }
    return !grammar_is_exhausted(g);
}

static void masks_print(const char *name, const char *outcome, MaskTimes *t, FILE *csv) {
    double p50 = 0, p99 = 0, max = 0;
    if (t->count) {
        p50 = percentile(t->of, t->count, 0.5);
        p99 = t->of[t->count * 99 / 100], max = t->of[t->count - 1];
    }
    TABLE_ROW(csv, "%-40.40s %-8s %5zu %10.1f %10.1f %10.1f %10zu\n",
              "%s,%s,%zu,%.2f,%.2f,%.2f,%zu\n", name, outcome, t->count, 1e6 * p50, 1e6 * p99,
              1e6 * max, t->most_steps);
    fflush(stdout);
}

static bool masks_of_file(const char *folder, const char *name, const Tokenizer *words,
                          FILE *csv, Fault *fault) {
    char path[2400];
    FileMap map;
    Fault why;
    MaskTimes times = {.count = 0};
    Grammar *g = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_open(&map, path, fault)) return false;
    const Text source = {(const char *)map.data, map.size};
    bool ok = masks_compile(&g, masks_kind(name), source, words, &why), within = ok;
    for (uint64_t i = 0; within && i < MASKS_TEXTS; i++) {
        Rng rng = {1, i, 0};
        within = masks_follow(g, &rng, &times);
    }
    masks_print(name, !ok ? "refused" : within ? "ok" : "spent", &times, csv);
    grammar_close(g), file_close(&map);
    return true;
}

static int is_grammar(const struct dirent *entry) { return masks_kind(entry->d_name) != NULL; }

bool bench_grammar_masks(const BenchJob *job, Fault *fault) {
    struct dirent **entries = NULL;
    int count = scandir(job->masks, &entries, is_grammar, alphasort);
    FileOut csv = {0};
    Tokenizer *words = bench_vocabulary(BENCH_VOCABULARY, fault);
    bool ok = words &&
              (count > 0 ||
               fault_set(fault, "%s: there is no .json, .gbnf or .regex file", job->masks)) &&
              (!job->csv || table_begin(&csv, job->csv, fault));
    if (ok)
        printf("microseconds, %zu tokens%*s %5s %10s %10s %10s %10s\n", tokenizer_count(words),
               22, "", "masks", "p50", "p99", "max", "max steps");
    if (ok && csv.stream) fprintf(csv.stream, "file,outcome,masks,p50,p99,max,max_steps\n");
    for (int i = 0; i < count; i++) {
        ok = ok && masks_of_file(job->masks, entries[i]->d_name, words, csv.stream, fault);
        free(entries[i]);
    }
    ok = ok && file_end(&csv, fault);
    file_drop(&csv), free(entries), tokenizer_close(words);
    return ok;
}
