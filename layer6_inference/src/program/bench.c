/* bench.c - strata bench: how fast the hot loops are. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(double *times, size_t n) {
    qsort(times, n, sizeof *times, compare);
    return times[n / 2];
}

static const struct {
    const char *name;
    bool (*run)(BenchJob *job, Fault *fault);
    OptionList sizes;
} benches[] = {{"matmul", bench_matmul, {{"256", "512", "1024", "2048"}, 4}},
               {"samplers", bench_samplers, {{"32768", "131072", "262144"}, 3}}};

static int run(int argc, char **argv) {
    BenchJob job = {.seconds = 1, .machine = {.pin = true}};
    Fault fault;
    const char *what = NULL;
    const Option options[] = {
        {"--size", OPT_LIST, &job.sizes, "N",
         "matmul: N x N matrices; samplers: N tokens (may be given several times)"},
        {"--seconds", OPT_REAL, &job.seconds, "X", "time for each kernel (1)"},
        {"--csv", OPT_TEXT, &job.csv, "FILE", "samplers: the table as CSV, too"},
        MACHINE_OPTIONS(job.machine),
        {0},
    };
    int status = options_read(
        argc, argv, "bench matmul|samplers [options]",
        "matmul    GFLOP/s of the matrix products, checked first against double precision, "
        "beside the measured peak of\n          the machine and OpenBLAS when it is installed\n"
        "samplers  microseconds of every sampler on peaked, LLM-like and flat logits, on one "
        "thread, scalar and SIMD,\n          beside the time to read the logits once",
        options, &what, 1, 1);
    if (status >= 0) return status;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
        if (strcmp(what, benches[i].name) != 0) continue;
        if (job.sizes.count == 0) job.sizes = benches[i].sizes;
        return benches[i].run(&job, &fault) ? EXIT_DONE : command_failed(&fault);
    }
    fprintf(stderr, "strata: nothing called '%s' to measure: matmul and samplers are\n", what);
    return EXIT_USAGE;
}

const Command command_bench = {
    .name = "bench", .gloss = "how fast the hot loops are", .run = run};
