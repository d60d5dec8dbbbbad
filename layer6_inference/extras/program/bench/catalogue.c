/* catalogue.c - strata bench samplers without --chain: every stage of the catalogue on
 * LLM-like logits, by the example that `strata samplers` shows it with, at each --size.
 *
 * A grammar's mask is the one before the first token, which it remembers after the first round
 * (strata bench grammar times masks along a text). */
#include "board.h"
#include "grammar_bench.h"
#include "input.h"
#include "listing.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Catalogue {
    const BenchJob *job;
    Board *boards; /* (job->sizes.count) owned, like the next */
    Tokenizer **words;
    FILE *csv; /* NULL: none */
} Catalogue;

static void print_stage_head(const Catalogue *c) {
    if (c->csv) fputs("tokens,stage,isa,microseconds,left\n", c->csv);
    if (c->job->json) return;
    printf("microseconds, median, %s, LLM-like logits\n%-18s", kernels_isa(), "");
    for (size_t i = 0; i < c->job->sizes.count; i++) printf(" %9zu", c->boards[i].n);
    printf(" %9s  %s\n%-18s", "left", "as", "read once");
    for (size_t i = 0; i < c->job->sizes.count; i++)
        printf(" %9.1f", 1e6 * board_floor(&c->boards[i], c->job->seconds));
    puts("");
}

static void print_stage_json(const StageKind *kind, size_t n, double time, size_t left) {
    printf("{\"stage\":\"%s\",\"chain\":", kind->name);
    list_json(stdout, text_of(kind->example));
    printf(",\"tokens\":%zu,\"isa\":\"%s\",\"microseconds\":%.2f,\"left\":%zu}\n", n,
           kernels_isa(), 1e6 * time, left);
}

/* At the first token and at the 16th, since force acts only on the first ones and length only
 * on later ones: the longer time of the two. */
static bool time_one(Board *b, const char *spec, double seconds, double *time, size_t *left,
                     Fault *fault) {
    *time = 0;
    for (b->generated = 0; b->generated <= 15; b->generated += 15) {
        double median;
        size_t kept;
        if (!board_measure(b, spec, seconds / 2, &median, &kept, fault)) return false;
        if (median > *time) *time = median, *left = kept;
    }
    return true;
}

static bool time_stage(const Catalogue *c, const StageKind *kind, Fault *fault) {
    size_t left = 0;
    if (!c->job->json) printf("%-18s", kind->name);
    for (size_t i = 0; i < c->job->sizes.count; i++) {
        Board *b = &c->boards[i];
        double time;
        if (!time_one(b, kind->example, c->job->seconds, &time, &left, fault)) return false;
        if (c->csv)
            fprintf(c->csv, "%zu,%s,%s,%.2f,%zu\n", b->n, kind->name, kernels_isa(), 1e6 * time,
                    left);
        if (c->job->json)
            print_stage_json(kind, b->n, time, left);
        else
            printf(" %9.1f", 1e6 * time);
    }
    if (!c->job->json) printf(" %9zu  %s\n", left, kind->example);
    fflush(stdout);
    return true;
}

static bool time_stages(const Catalogue *c, Fault *fault) {
    const StageKind *const *kinds;
    size_t count = stage_list(&kinds);
    print_stage_head(c);
    for (size_t i = 0; i < count; i++)
        if (!time_stage(c, kinds[i], fault)) return false;
    return true;
}

bool bench_catalogue(const BenchJob *job, Fault *fault) {
    FileOut csv = {0};
    size_t sizes = job->sizes.count;
    Catalogue c = {job, calloc(sizes, sizeof(Board)), calloc(sizes, sizeof(Tokenizer *)), NULL};
    bool ok = (c.boards && c.words) || fault_set(fault, "no memory for %zu sizes", sizes);
    ok = ok && (!job->csv || table_begin(&csv, job->csv, fault));
    c.csv = csv.stream;
    for (size_t i = 0; ok && i < sizes; i++) {
        const size_t n = job->size[i];
        ok = (c.words[i] = bench_vocabulary(n, fault)) &&
             board_open(&c.boards[i], n, c.words[i], fault);
    }
    ok = ok && time_stages(&c, fault) && file_end(&csv, fault);
    for (size_t i = 0; c.boards && c.words && i < sizes; i++)
        board_close(&c.boards[i]), tokenizer_close(c.words[i]);
    free(c.boards), free(c.words);
    file_drop(&csv);
    return ok;
}
