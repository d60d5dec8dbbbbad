/* bench.h - what the benchmarks share. */
#ifndef STRATA_BENCH_H
#define STRATA_BENCH_H

#include "loaded_model.h"

typedef struct BenchJob {
    ComputeOptions compute;
    double seconds;
    OptionList sizes, chains;
    const char *csv, *folder, *trace, *costs;
    /* of models */
    const char *model, *format;
    const char *names[3]; /* the benchmark, and what follows it */
    long prompt, count, context, rounds, layers, documents, users, shared, places;
    bool json, own_time, goals;
    double began; /* before a model was opened */
} BenchJob;

/* Seconds: of the clock, or with --own-time those that this process has computed, so that
 * what else runs on the machine counts less. */
double bench_now(const BenchJob *job);

/* The middle of n times, which are put in order: times[0] is the best. */
double bench_median(double *times, size_t n);

/* The median seconds of run(context), over so many runs as fit into `seconds`, from 3 to 64. */
double bench_time(void (*run)(void *context), void *context, double seconds);

/* A value of --size. */
bool bench_read_size(const char *text, size_t min, size_t max, size_t *size, Fault *fault);

/* All values of --size, before anything is computed or printed. */
bool bench_check_sizes(const BenchJob *job, size_t min, size_t max, Fault *fault);

/* Bytes of the file that a token reads: all but the embedding, of which it reads a row; and of
 * experts, which are tensors of three dimensions, those it uses. */
double bench_bytes_per_token(const Model *model);

/* Bytes of keys and values of one token. */
double bench_kv_bytes(const Model *model, KvFormat format);

/* Open a chain that draws, and never the token that ends a text, where there is one: with
 * limits.only_bos_ends an answer is as long as it is asked to be, whatever the prompt.
 *
 * Fails for a model that reads a source: words drawn by chance are none. */
bool bench_open_chain(Chain *chain, const Model *model, Fault *fault);

bool bench_matmul(BenchJob *job, Fault *fault);
bool bench_samplers(BenchJob *job, Fault *fault);
bool bench_grammar(BenchJob *job, Fault *fault);
bool bench_ladder(BenchJob *job, Fault *fault);
bool bench_roofline(BenchJob *job, Fault *fault);
bool bench_quant(BenchJob *job, Fault *fault);
bool bench_mixers(BenchJob *job, Fault *fault);
bool bench_tokenizer(BenchJob *job, Fault *fault);
bool bench_isas(BenchJob *job, Fault *fault);
bool bench_make_model(BenchJob *job, Fault *fault);
bool bench_model(BenchJob *job, LoadedModel *m, Fault *fault);
bool bench_serve(BenchJob *job, LoadedModel *m, Fault *fault);
bool bench_kv(BenchJob *job, LoadedModel *m, Fault *fault);

#endif
