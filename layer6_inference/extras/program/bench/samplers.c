/* samplers.c - strata bench samplers: microseconds from the model's logits to the candidates
 * that a sampler leaves, for every stage of the catalogue (catalogue.c) or, with --chain, for
 * chains on logits of three shapes, scalar and SIMD. */
#include "board.h"
#include "input.h"

#include <stdio.h>

static const char *const shapes[] = {"peaked", "LLM-like", "flat"};

static bool samplers_bench_size(Board *b, const BenchJob *job, FILE *csv, Fault *fault) {
    const char *list[KERNELS_MAX];
    kernels_list(list);
    const char *use[2] = {list[0], kernels_isa()}; /* reference, active ISA */
    double seconds = job->seconds / 2;             /* for each of the two */
    for (int shape = 0; shape < 3; shape++) {
        board_set_shape(b, (LogitShape)shape);
        printf("%zu tokens, %s; read once %.1f us\n", b->n, shapes[shape],
               1e6 * board_floor(b, seconds));
        if (csv)
            fprintf(csv, "%zu,%s,read once,%s,%.2f,%zu\n", b->n, shapes[shape], use[1],
                    1e6 * board_floor(b, seconds), b->n);
        for (size_t s = 0; s < job->chains.count; s++) {
            const char *spec = job->chains.items[s];
            double median[2];
            size_t left;
            for (int k = 0; k < 2; k++) {
                if (!kernels_select(use[k], fault) ||
                    !board_measure(b, spec, seconds, &median[k], &left, fault))
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

/* --size; the catalogue's vocabularies have some kinds of tokens, so they are larger. */
enum { MIN_SIZE = 100, MIN_CATALOGUE = 2048, MAX_SIZE = 1 << 22 };

/* Only chains that need nothing but the logits can be measured, at every size. */
static bool samplers_check_chain(const BenchJob *job, const char *spec, Fault *fault) {
    const Step bare = {.seed = 1};
    Chain chain;
    if (!chain_parse(&chain, spec, NULL, fault)) return false;
    bool ok = chain_check(&chain, &bare, fault);
    for (size_t i = 0; ok && i < job->sizes.count; i++)
        ok = chain_check_tokens(&chain, job->size[i], fault);
    chain_close(&chain);
    return ok || fault_prefix(fault, spec);
}

static bool check_job(BenchJob *job, Fault *fault) {
    size_t min = job->chains.count ? MIN_SIZE : MIN_CATALOGUE;
    if (!bench_read_sizes(job, min, MAX_SIZE, fault)) return false;
    for (size_t i = 0; i < job->chains.count; i++)
        if (!samplers_check_chain(job, job->chains.items[i], fault)) return false;
    return true;
}

bool bench_samplers(BenchJob *job, Fault *fault) {
    if (!check_job(job, fault)) return false;
    if (job->compute.isa && !kernels_select(job->compute.isa, fault)) return wrong_value();
    if (job->chains.count == 0) return bench_catalogue(job, fault);
    FileOut csv = {0};
    const char *chosen = kernels_isa();
    bool ok = true;
    if (job->csv && !table_begin(&csv, job->csv, fault)) return false;
    if (csv.stream) fprintf(csv.stream, "tokens,shape,sampler,isa,microseconds,left\n");
    printf("microseconds, median      %30s %9s %9s\n", "scalar", chosen, "left");
    for (size_t i = 0; ok && i < job->sizes.count; i++) {
        Board b;
        if (!(ok = board_open(&b, job->size[i], NULL, fault))) break;
        ok = samplers_bench_size(&b, job, csv.stream, fault);
        board_close(&b);
    }
    ok = ok && file_end(&csv, fault);
    file_drop(&csv);
    return ok;
}
