/* samplers.c - strata bench samplers: microseconds from the model's logits to the candidates
 * that a sampler leaves.
 *
 * Each time includes the first scan of the logits (maximum per segment, NaN) and the stage or
 * chain.  The logits are rewritten before each round, untimed, so that they are in the cache as
 * after a forward pass. */
#include "bench.h"
#include "input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const all[] = {
    "greedy",        "top_k:40",
    "top_k:1000",    "top_p:0.95",
    "min_p:0.05",    "typical:0.5",
    "top_n_sigma:1", "xtc:1",
    "eta:0.0009",    "p_less",
    "tfs:0.95",      "top_h:0.4",
    "temp:0.8",      "temp:1:range=0.5",
    "draw",          "gumbel",
    "mirostat_v2:5", "penalties:rep=1.1",
    "dry:0.8",       "top_k:40,top_p:0.95,min_p:0.05,temp:0.8,draw"};

static const char *const shapes[] = {"peaked", "LLM-like", "flat"};

/* peaked: one token has nearly all; LLM-like: noise and 40 outliers; flat: nearly uniform. */
static void make_logits(float *x, size_t n, int shape) {
    Rng rng = {1, (uint64_t)shape, 0};
    for (size_t i = 0; i < n; i++) x[i] = (float)((shape == 2 ? 0.01 : 2.5) * rng_normal(&rng));
    if (shape == 0) x[n / 3] = 40;
    for (int i = 0; shape == 1 && i < 40; i++)
        x[rng_below(&rng, n)] = (float)(10 + 8 * rng_next(&rng));
}

typedef struct Board {
    Candidates candidates;
    float *logits, *copy;
    int32_t history[64];
    size_t n;
    double *times;
} Board;

enum { MAX_ROUNDS = 4000 };

/* Time the chain's stages; a draw that was appended is excluded. */
static bool samplers_measure(Board *b, const char *spec, double seconds, double *median,
                             size_t *left, Fault *fault) {
    Chain chain;
    Step step = {.seed = 1, .history = b->history, .history_count = 64, .prompt_count = 64};
    if (!chain_parse(&chain, spec, NULL, fault)) return false;
    const char *last = chain.stages[chain.count - 1].kind->name;
    size_t count = strstr(spec, last) ? chain.count : chain.count - 1, rounds = 0;
    double start = clock_seconds();
    bool ok = true;
    while (ok && (rounds < 5 || (clock_seconds() - start < seconds && rounds < MAX_ROUNDS))) {
        memcpy(b->copy, b->logits, b->n * sizeof *b->copy);
        step.position = rounds;
        double before = clock_seconds();
        ok = candidates_load(&b->candidates, b->copy, fault);
        for (size_t i = 0; ok && i < count; i++)
            if (!stage_is_off(&chain.stages[i]))
                chain.stages[i].kind->apply(&chain.stages[i], &b->candidates, &step);
        b->times[rounds++] = clock_seconds() - before;
    }
    *median = bench_median(b->times, rounds);
    *left = b->candidates.count;
    chain_close(&chain);
    return ok;
}

/* Lower bound: one pass over all logits. */
static double floor_time(Board *b, double seconds) {
    size_t rounds = 0;
    double start = clock_seconds();
    while (rounds < 5 || (clock_seconds() - start < seconds && rounds < MAX_ROUNDS)) {
        double before = clock_seconds();
        volatile float max = vector_max(b->logits, b->n);
        (void)max;
        b->times[rounds++] = clock_seconds() - before;
    }
    return bench_median(b->times, rounds);
}

static bool samplers_bench_size(Board *b, const BenchJob *job, FILE *csv, Fault *fault) {
    const char *list[KERNELS_MAX];
    kernels_list(list);
    const char *use[2] = {list[0], kernels_isa()}; /* reference, active ISA */
    double seconds = job->seconds / 10;
    OptionList chains = job->chains;
    for (size_t s = 0; job->chains.count == 0 && s < sizeof all / sizeof *all; s++)
        chains.items[chains.count++] = all[s];
    for (int shape = 0; shape < 3; shape++) {
        make_logits(b->logits, b->n, shape);
        printf("%zu tokens, %s; read once %.1f us\n", b->n, shapes[shape],
               1e6 * floor_time(b, seconds));
        if (csv)
            fprintf(csv, "%zu,%s,read once,%s,%.2f,%zu\n", b->n, shapes[shape], use[1],
                    1e6 * floor_time(b, seconds), b->n);
        for (size_t s = 0; s < chains.count; s++) {
            const char *spec = chains.items[s];
            double median[2];
            size_t left;
            for (int k = 0; k < 2; k++) {
                if (!kernels_select(use[k], fault) ||
                    !samplers_measure(b, spec, seconds, &median[k], &left, fault))
                    return false;
                if (csv && (k == 1 || use[0] != use[1]))
                    fprintf(csv, "%zu,%s,\"%s\",%s,%.2f,%zu\n", b->n, shapes[shape], spec,
                            use[k], 1e6 * median[k], left);
            }
            printf("  %-46s %9.1f %9.1f %8zu\n", spec, 1e6 * median[0], 1e6 * median[1], left);
        }
    }
    return true;
}

enum { MIN_SIZE = 100, MAX_SIZE = 1 << 22 }; /* --size */

/* Only chains that need nothing but the logits can be measured, at every size. */
static bool samplers_check_chain(const BenchJob *job, const char *spec, Fault *fault) {
    const Step bare = {.seed = 1};
    Chain chain;
    if (!chain_parse(&chain, spec, NULL, fault)) return false;
    bool ok = chain_check(&chain, &bare, 0, fault);
    for (size_t i = 0; ok && i < job->sizes.count; i++) {
        size_t n;
        ok = bench_read_size(job->sizes.items[i], MIN_SIZE, MAX_SIZE, &n, fault) &&
             chain_check_tokens(&chain, n, fault);
    }
    chain_close(&chain);
    return ok || fault_prefix(fault, spec);
}

static bool check_job(const BenchJob *job, Fault *fault) {
    if (!bench_check_sizes(job, MIN_SIZE, MAX_SIZE, fault)) return false;
    for (size_t i = 0; i < job->chains.count; i++)
        if (!samplers_check_chain(job, job->chains.items[i], fault)) return false;
    return true;
}

bool bench_samplers(BenchJob *job, Fault *fault) {
    if (!check_job(job, fault) ||
        (job->compute.isa && !kernels_select(job->compute.isa, fault)))
        return false;
    FileOut csv = {0};
    const char *chosen = kernels_isa();
    bool ok = true;
    if (job->csv && !table_begin(&csv, job->csv, fault)) return false;
    if (csv.stream) fprintf(csv.stream, "tokens,shape,sampler,isa,microseconds,left\n");
    printf("microseconds, median      %30s %9s %9s\n", "scalar", chosen, "left");
    for (size_t i = 0; ok && i < job->sizes.count; i++) {
        Board b = {0};
        Arena arena;
        if (!(ok = bench_read_size(job->sizes.items[i], MIN_SIZE, MAX_SIZE, &b.n, fault)))
            break;
        arena_measure(&arena), candidates_init(&b.candidates, b.n, &arena);
        if (!(ok = arena_init(&arena,
                              arena.used + 2 * b.n * sizeof(float) +
                                  MAX_ROUNDS * sizeof(double) + 1024,
                              fault)))
            break;
        candidates_init(&b.candidates, b.n, &arena);
        b.logits = arena_take(&arena, b.n, sizeof(float));
        b.copy = arena_take(&arena, b.n, sizeof(float));
        b.times = arena_take(&arena, MAX_ROUNDS, sizeof(double));
        for (int k = 0; k < 64; k++) b.history[k] = (int32_t)((size_t)k * 37 % b.n);
        ok = samplers_bench_size(&b, job, csv.stream, fault);
        arena_free(&arena);
    }
    ok = ok && file_end(&csv, fault);
    file_drop(&csv);
    return ok;
}
