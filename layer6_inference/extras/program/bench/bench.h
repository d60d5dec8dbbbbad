/* bench.h - what the benchmarks share. */
#ifndef STRATA_BENCH_H
#define STRATA_BENCH_H

#include "loaded_model.h"
#include "peak.h"

typedef struct BenchJob {
    ComputeOptions compute;
    double seconds;
    OptionList sizes, chains;
    size_t size[OPTION_LIST]; /* (sizes.count) bench_read_sizes */
    const char *csv, *folder, *masks, *trace, *costs;
    /* of models */
    const char *model, *format;
    const char *names[3]; /* the benchmark, then its own arguments */
    long prompt, count, context, rounds, layers, documents, users, shared, places;
    bool json, own_time, goals;
    double began; /* before the model was opened */
} BenchJob;

/* Seconds on the clock, or with --own-time of this process's CPU time, which other load on the
 * machine affects less. */
double bench_now(const BenchJob *job);

/* Seconds of run(context), over as many runs (3 to 1000) as fit into `seconds`.  Interference
 * can only slow a run down: the best is what the machine can do. */
typedef struct BenchTime {
    double median, best;
} BenchTime;
BenchTime bench_time(void (*run)(void *context), void *context, double seconds);

/* Read all values of --size, before anything is computed or printed. */
bool bench_read_sizes(BenchJob *job, size_t min, size_t max, Fault *fault);

/* Bytes of the file read per token: all but the embedding, of which one row, and only the
 * active experts (three-dimensional tensors). */
double bench_bytes_per_token(const Model *model);

/* Bytes of keys and values per token, on all machines together. */
double bench_kv_bytes(const Model *model, KvFormat format);

/* GB/s of plain reading; of several machines the sum, as if all were like this one. */
double bench_bandwidth(Pool *pool);

/* Open a sampling chain that never draws the begin-of-sequence token: with
 * limits.only_bos_ends, answers then have the requested length whatever the prompt.
 *
 * Fails for a model that reads a source text: random words are none. */
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
