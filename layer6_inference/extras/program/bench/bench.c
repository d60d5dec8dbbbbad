/* bench.c - strata bench: benchmarks of the hot loops. */
#include "commands.h"
#include "bench.h"
#include "families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_open_chain(Chain *chain, const Model *model, Fault *fault) {
    char spec[64] = "draw";
    int32_t bos = tokenizer_bos(model->tokenizer);
    if (model_extras(model)->encoder)
        return fault_set(fault,
                         "a %s model reads a source text: wanted one that continues a text",
                         model->recipe->arch);
    if (bos >= 0) snprintf(spec, sizeof spec, "bias:%d=-1000,draw", bos);
    return chain_parse(chain, spec, model->tokenizer, fault);
}

double bench_now(const BenchJob *job) {
    return job->own_time ? own_seconds() : clock_seconds();
}

BenchTime bench_time(void (*run)(void *context), void *context, double seconds) {
    enum { MOST = 1000 };
    double times[MOST], start = clock_seconds();
    size_t rounds = 0;
    while (rounds < 3 || (clock_seconds() - start < seconds && rounds < MOST)) {
        double before = clock_seconds();
        run(context);
        times[rounds++] = clock_seconds() - before;
    }
    double median = percentile(times, rounds, 0.5); /* sorts them */
    return (BenchTime){median, times[0]};
}

static const struct {
    const char *name;
    bool (*run)(BenchJob *job, Fault *fault);
    OptionList sizes;
    bool (*run_model)(BenchJob *job, LoadedModel *m, Fault *fault);
} benches[] = {{"matmul", bench_matmul, {{"256", "512", "1024", "2048"}, 4}, NULL},
               {"samplers", bench_samplers, {{"32768", "131072"}, 2}, NULL},
               {"grammar", bench_grammar, {{NULL}, 0}, NULL},
               {"ladder", bench_ladder, {{NULL}, 0}, NULL},
               {"roofline", bench_roofline, {{NULL}, 0}, NULL},
               {"quant", bench_quant, {{NULL}, 0}, NULL},
               {"model", NULL, {{NULL}, 0}, bench_model},
               {"serve", NULL, {{NULL}, 0}, bench_serve},
               {"kv", NULL, {{NULL}, 0}, bench_kv},
               {"mixers", bench_mixers, {{NULL}, 0}, NULL},
               {"tokenizer", bench_tokenizer, {{NULL}, 0}, NULL},
               {"isas", bench_isas, {{NULL}, 0}, NULL},
               {"make-model", bench_make_model, {{NULL}, 0}, NULL}};

static const OptionRule bench_rules[] = {
    {"--size", NEEDS, "matmul samplers", "the others have fixed sizes"},
    {"--chain", NEEDS, "samplers", "it names a sampler to measure"},
    {"--csv", NEEDS, "samplers grammar quant roofline kv", "the others have no CSV table"},
    {"--folder --masks", NEEDS, "grammar", "the others measure no schemas"},
    {"--folder", NOT_WITH, "--masks", "one table at a time"},
    {"--seconds", NEEDS, "matmul samplers ladder roofline quant mixers tokenizer",
     "the others run a fixed number of times, or --rounds"},
    {"-m", NEEDS, "model quant serve kv tokenizer", "the others use no model"},
    {"--format", NEEDS, "ladder", "the others measure all formats"},
    {"--documents", NEEDS, "quant kv", "the others measure no loss"},
    {"-p --kv", NEEDS, "model serve", "the others evaluate no prompt"},
    {"-n", NEEDS, "model serve kv", "the others generate no tokens"},
    {"--context", NEEDS, "model kv", "the others use no context"},
    {"--users --trace --places --costs --shared --goals", NEEDS, "serve",
     "it is about many users"},
    {"--trace", NOT_WITH, "--users -p -n", "the trace already contains the requests"},
    {"--own-time", NEEDS, "serve kv", "the others take the best or the median of many runs"},
    {"--rounds", NEEDS, "model kv --goals", "the others use --seconds"},
    {"--goals", NOT_WITH, "--users --trace --places --shared --costs -p -n --json",
     "it brings its own users"},
    {"--json", NEEDS, "model serve samplers", "the others write --csv"},
    {"--json", NOT_WITH, "--chain", "the table of chains is written by --csv"},
    {"--layers", NEEDS, "make-model", "it is the size of the new model"},
    {"--no-pack", NEEDS, "model serve kv",
     "the others measure packing itself or use no weights"},
    {"--threads", NEEDS, "matmul ladder roofline quant model serve kv make-model",
     "the others run on one thread"},
    {0},
};

static BenchJob asked = {.seconds = 1,
                         .prompt = 512,
                         .count = 64,
                         .context = 128,
                         .rounds = 5,
                         .layers = 22,
                         .documents = 100,
                         .users = 16};

static bool measures(const char *name) { return strcmp(asked.names[0], name) == 0; }

/* Reject counts that leave nothing to measure, and useless options. */
static bool check_counts(Fault *fault) {
    if (asked.own_time && asked.compute.threads != 1)
        return fault_set(fault, "--own-time measures one thread: it needs -t 1");
    if (measures("serve"))
        return (asked.prompt && asked.count) ||
               fault_set(fault, "serve: -p and -n must be 1 or more");
    if (measures("kv"))
        return (asked.count && asked.count <= 256) ||
               fault_set(fault, "kv: -n must be 1 to 256");
    if (asked.count) return true;
    if (!asked.prompt) return fault_set(fault, "-p 0 and -n 0: nothing to measure");
    return !option_given("--context") ||
           fault_set(
               fault,
               "--context does not go with -n 0: it is the context of the generated tokens");
}

static bool bench_check(Fault *fault) {
    bool file = measures("make-model") || (measures("tokenizer") && !asked.names[2]);
    return check_counts(fault) &&
           (!asked.names[1] || file ||
            fault_set(fault, "unexpected argument '%.60s': %s takes no file", asked.names[1],
                      asked.names[0]));
}

bool bench_read_sizes(BenchJob *job, size_t min, size_t max, Fault *fault) {
    for (size_t i = 0; i < job->sizes.count; i++) {
        const char *text = job->sizes.items[i];
        char *end;
        long n = strtol(text, &end, 10);
        if (!*text || *end || n < (long)min || n > (long)max)
            return fault_set(fault, "--size is '%.20s': wanted %zu to %zu", text, min, max);
        job->size[i] = (size_t)n;
    }
    return true;
}

static size_t find_bench(void) {
    size_t bench = 0;
    while (!measures(benches[bench].name)) bench++;
    return bench;
}

static bool bench_loaded(LoadedModel *m, Fault *fault) {
    return benches[find_bench()].run_model(&asked, m, fault);
}

static bool bench_run(Fault *fault) {
    const size_t bench = find_bench();
    if (measures("make-model") && asked.names[1] && !file_writable(asked.names[1], fault))
        return false;
    if (asked.sizes.count == 0) asked.sizes = benches[bench].sizes;
    if (measures("serve") && !option_given("-p")) asked.prompt = 64;
    if (measures("samplers") && !option_given("--seconds")) asked.seconds = 0.1;
    asked.compute.pin = asked.compute.threads <= cpu_count();
    asked.began = clock_seconds();
    return benches[bench].run ? benches[bench].run(&asked, fault)
                              : loaded_run(&asked.model, &asked.compute, bench_loaded, fault);
}

static const Option bench_options[] = {
    {"--size", OPT_LIST, &asked.sizes, "N",
     "matmul: N x N matrices; samplers: N tokens (repeatable)"},
    {"--chain", OPT_LIST, &asked.chains, "SPEC",
     "samplers: this chain instead of the catalogue (repeatable)"},
    {"--seconds", OPT_REAL(0, 3600), &asked.seconds, "X",
     "seconds per kernel or stage (1; samplers: 0.1)"},
    {"--csv", OPT_OUTPUT, &asked.csv, "FILE",
     "samplers, grammar, quant, roofline, kv: also write the table as CSV"},
    {"--folder", OPT_TEXT, &asked.folder, "DIR",
     "grammar: count how many schemas of a folder compile, and how many give wrong answers"},
    {"--masks", OPT_TEXT, &asked.masks, "DIR",
     "grammar: time the masks of each grammar of a folder (.json, .gbnf, .regex)"},
    {"-m", OPT_TEXT, &asked.model, "FILE",
     "model, quant, serve, kv, tokenizer: the model (the built-in storyteller)"},
    {"--format", OPT_TEXT, &asked.format, "NAME", "ladder: only this format"},
    {"--documents", OPT_INT(1, OPTION_MANY), &asked.documents, "N",
     "quant, kv: held-out documents for the loss (100)"},
    {"-p", OPT_INT(0, OPTION_MANY), &asked.prompt, "N",
     "model: prompt tokens (512; 0: skip prefill); serve: average prompt tokens (64)"},
    {"-n", OPT_INT(0, OPTION_MANY), &asked.count, "N",
     "model, serve, kv: tokens to generate (64; model: 0 skips decode)"},
    {"--users", OPT_INT(1, 10000), &asked.users, "N", "serve: users that arrive together (16)"},
    {"--trace", OPT_TEXT, &asked.trace, "FILE",
     "serve: the requests, a table arrival,prompt,answer[,priority[,user]] (strata simulate "
     "--save-trace)"},
    {"--places", OPT_INT(0, 1024), &asked.places, "N",
     "serve: KV slots (0: 1, 2, 4 ... 32, a row for each)"},
    {"--shared", OPT_INT(0, OPTION_MANY), &asked.shared, "N",
     "serve: additional shared prefix of all prompts, in tokens (0)"},
    {"--costs", OPT_OUTPUT, &asked.costs, "FILE",
     "serve: write the cost of a step, for strata simulate"},
    {"--context", OPT_INT(0, OPTION_MANY), &asked.context, "N",
     "model, kv: context before the generated tokens (128)"},
    {"--kv", OPT_TEXT, &asked.compute.kv, "FORMAT",
     "model, serve: KV cache format: f16 (default), f32, bf16, q8_0, q8_0-h, q4_0 or q4_0-h"},
    {"--rounds", OPT_INT(1, 64), &asked.rounds, "N",
     "model, kv, serve --goals: repetitions (5)"},
    {"--goals", OPT_FLAG, &asked.goals, NULL,
     "serve: check service goals instead: the share of a step spent in products, gaps during a "
     "prefill of 2048 tokens, a cached prompt"},
    {"--own-time", OPT_FLAG, &asked.own_time, NULL,
     "serve, kv, with -t 1: count CPU time, which other programs do not disturb"},
    {"--json", OPT_FLAG, &asked.json, NULL,
     "model, serve, samplers: print the results as JSON, one per line"},
    {"--layers", OPT_INT(1, 1000), &asked.layers, "N",
     "make-model: number of layers (22: 1.1 billion weights)"},
    MODEL_OPTIONS(asked.compute),
    {0},
};

const Command command_bench = {
    .name = "bench",
    .usage = "bench "
             "matmul|samplers|grammar|ladder|roofline|quant|model|serve|kv|mixers|tokenizer|"
             "isas|make-model [options]",
    .about =
        "Measure the speed of the hot loops:\n"
        "\n"
        "matmul    GFLOP/s of the matrix products, first checked against double "
        "precision, beside the machine's measured\n"
        "          peak and OpenBLAS if it is installed\n"
        "samplers  microseconds of every stage of the catalogue, one thread, beside the "
        "time to read the logits once;\n"
        "          with --chain of a chain, on peaked, LLM-like and flat logits, scalar and "
        "SIMD\n"
        "grammar   microseconds per mask over 128,000 tokens, for JSON and for function "
        "calls, one thread\n"
        "ladder    every optimization from the plain loop to repacked weights, checked "
        "and timed: GFLOP/s and GB/s\n"
        "roofline  the machine's limits for each number of threads, and how close the "
        "products come\n"
        "quant     every number format: bits, errors, the storyteller's loss, GB/s\n"
        "model     tokens/s of a model: prefill, and decode beside the memory bandwidth\n"
        "serve     many users at once, for 1 to 32 slots: tokens/s, milliseconds to the "
        "first token and between tokens,\n"
        "          with continuous and with static batching\n"
        "kv        every KV cache format: bytes per token, loss on held-out documents and "
        "its difference from f32,\n"
        "          tokens/s at the start of a text and after --context tokens\n"
        "mixers    microseconds per state update of the recurrent mixers, prefill and "
        "decode, beside the limit of\n"
        "          arithmetic or memory\n"
        "tokenizer [TEXT]   MB/s of tokenized text (a file, or stories), and milliseconds "
        "to open the vocabulary\n"
        "isas      the instruction sets with kernels, and which of them this machine has\n"
        "make-model OUT.gguf FORMAT   write a model of random weights with the shape of a "
        "1.1B Llama",
    .examples = {"strata bench model -m MODEL.gguf", "strata bench matmul"},
    .options = bench_options,
    .brief = "-m -p -n --seconds --csv --threads",
    .rules = bench_rules,
    .words = asked.names,
    .min_words = 1,
    .max_words = 3,
    .has_kinds = true,
    .check = bench_check,
    .run = bench_run};
