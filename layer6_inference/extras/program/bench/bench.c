/* bench.c - strata bench: how fast the hot loops are. */
#include "commands.h"
#include "bench.h"
#include "families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

bool bench_open_chain(Chain *chain, const Model *model, Fault *fault) {
    char spec[64] = "draw";
    int32_t bos = tokenizer_bos(model->tokenizer);
    if (model_extras(model)->encoder)
        return fault_set(fault,
                         "a %s model reads a source: wanted one that goes on with a text",
                         model->recipe->arch);
    if (bos >= 0) snprintf(spec, sizeof spec, "bias:%d=-1000,draw", bos);
    return chain_parse(chain, spec, model->tokenizer, fault);
}

double bench_now(const BenchJob *job) {
    struct timespec t;
    if (!job->own_time) return clock_seconds();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_median(double *times, size_t n) {
    qsort(times, n, sizeof *times, by_time);
    return times[n / 2];
}

double bench_time(void (*run)(void *context), void *context, double seconds) {
    double times[64], start = clock_seconds();
    size_t rounds = 0;
    while (rounds < 3 || (clock_seconds() - start < seconds && rounds < 64)) {
        double before = clock_seconds();
        run(context);
        times[rounds++] = clock_seconds() - before;
    }
    return bench_median(times, rounds);
}

static const struct {
    const char *name;
    bool (*run)(BenchJob *job, Fault *fault);
    OptionList sizes;
    bool (*run_model)(BenchJob *job, LoadedModel *m, Fault *fault);
} benches[] = {{"matmul", bench_matmul, {{"256", "512", "1024", "2048"}, 4}, NULL},
               {"samplers", bench_samplers, {{"32768", "131072", "262144"}, 3}, NULL},
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
    {"--size", NEEDS, "matmul samplers", "the others have sizes of their own"},
    {"--chain", NEEDS, "samplers", "it is a sampler to measure"},
    {"--csv", NEEDS, "samplers grammar quant roofline kv", "the others make no table"},
    {"--folder", NEEDS, "grammar", "the others measure no schemas"},
    {"--seconds", NEEDS, "matmul samplers ladder roofline quant mixers tokenizer",
     "the others run a number of times of their own, or --rounds"},
    {"-m", NEEDS, "model quant serve kv tokenizer", "the others need no model"},
    {"--format", NEEDS, "ladder", "the others go through all of theirs"},
    {"--documents", NEEDS, "quant kv", "only there a loss is measured"},
    {"-p", NEEDS, "model serve", "only there a prompt is read"},
    {"-n", NEEDS, "model serve kv", "only there tokens are written"},
    {"--users --trace", NEEDS, "serve", "only there users come"},
    {"--trace", NOT_WITH, "--users -p -n", "the trace says who comes"},
    {"--own-time", NEEDS, "serve kv", "the others take the best or the middle of many runs"},
    {"--places", NEEDS, "serve", "only there texts have places"},
    {"--costs", NEEDS, "serve", "only there steps are taken"},
    {"--shared", NEEDS, "serve", "only there prompts begin alike"},
    {"--context", NEEDS, "model kv", "only there tokens are written"},
    {"--kv", NEEDS, "model serve", "only there keys and values are kept"},
    {"--rounds", NEEDS, "model kv --goals", "the others have --seconds"},
    {"--goals", NEEDS, "serve", "only there something is promised"},
    {"--goals", NOT_WITH, "--users --trace --places --shared --costs -p -n --json",
     "it has users of its own"},
    {"--json", NEEDS, "model serve", "--csv is the table of others"},
    {"--layers", NEEDS, "make-model", "it is the size of the model that is made"},
    {"--no-pack", NEEDS, "model serve kv",
     "the others measure packing itself, or have no weights"},
    {"--threads", NEEDS, "matmul ladder roofline quant model serve kv make-model",
     "samplers, grammars and mixers run on one thread"},
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

/* Zeros of bench model that leave nothing to do, or an option without use. */
static bool check_counts(Fault *fault) {
    if (asked.own_time && asked.compute.threads != 1)
        return fault_set(fault, "--own-time is the time of one thread: it needs -t 1");
    if (measures("serve"))
        return (asked.prompt && asked.count) ||
               fault_set(fault, "users ask and are answered: -p and -n are 1 or more");
    if (measures("kv"))
        return (asked.count && asked.count <= 256) ||
               fault_set(fault, "-n is 1 to 256 for kv: tokens that are timed");
    if (asked.count) return true;
    if (!asked.prompt)
        return fault_set(fault, "-p 0 and -n 0 leave nothing to measure: give one of them");
    return !option_given("--context") ||
           fault_set(fault, "--context does not go with -n 0: it is the text before tokens "
                            "that are written");
}

static bool bench_check(Fault *fault) {
    bool file = measures("make-model") || (measures("tokenizer") && !asked.names[2]);
    return check_counts(fault) &&
           (!asked.names[1] || file ||
            fault_set(fault, "unexpected argument '%.60s': %s takes no file", asked.names[1],
                      asked.names[0]));
}

bool bench_read_size(const char *text, size_t min, size_t max, size_t *size, Fault *fault) {
    char *end;
    long n = strtol(text, &end, 10);
    *size = (size_t)n;
    return (*text && !*end && n >= (long)min && n <= (long)max) ||
           fault_set(fault, "--size is '%.20s': wanted %zu to %zu", text, min, max);
}

bool bench_check_sizes(const BenchJob *job, size_t min, size_t max, Fault *fault) {
    size_t size;
    for (size_t i = 0; i < job->sizes.count; i++)
        if (!bench_read_size(job->sizes.items[i], min, max, &size, fault)) return false;
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
    asked.compute.pin = asked.compute.threads <= cpu_count();
    asked.began = clock_seconds();
    return benches[bench].run ? benches[bench].run(&asked, fault)
                              : loaded_run(&asked.model, &asked.compute, bench_loaded, fault);
}

static const Option bench_options[] = {
    {"--size", OPT_LIST, &asked.sizes, "N",
     "matmul: N x N matrices; samplers: N tokens (may be given several times)"},
    {"--chain", OPT_LIST, &asked.chains, "SPEC",
     "samplers: this one only (may be given several times)"},
    {"--seconds", OPT_REAL(0, 3600), &asked.seconds, "X", "time for each kernel (1)"},
    {"--csv", OPT_OUTPUT, &asked.csv, "FILE",
     "samplers, grammar, quant, roofline, kv: the table as CSV, too"},
    {"--folder", OPT_TEXT, &asked.folder, "DIR",
     "grammar: not speed, but how many schemas of a folder are taken, and how often they are "
     "wrong"},
    {"-m", OPT_TEXT, &asked.model, "FILE",
     "model, quant, serve, kv, tokenizer: the file to measure (the storyteller)"},
    {"--format", OPT_TEXT, &asked.format, "NAME", "ladder: this format only"},
    {"--documents", OPT_INT(1, OPTION_MANY), &asked.documents, "N",
     "quant, kv: held-out documents for the loss (100)"},
    {"-p", OPT_INT(0, OPTION_MANY), &asked.prompt, "N",
     "model: tokens to read at once (512; 0: none); serve: of a prompt, about (64)"},
    {"-n", OPT_INT(0, OPTION_MANY), &asked.count, "N",
     "model, serve, kv: tokens to write one by one (64; model: 0 for none)"},
    {"--users", OPT_INT(1, 10000), &asked.users, "N", "serve: users who come at once (16)"},
    {"--trace", OPT_TEXT, &asked.trace, "FILE",
     "serve: who comes when, for how much: a table arrival,prompt,answer[,priority[,user]] "
     "(strata simulate --save-trace)"},
    {"--places", OPT_INT(0, 1024), &asked.places, "N",
     "serve: texts at once (0: 1, 2, 4 ... 32, a row for each)"},
    {"--shared", OPT_INT(0, OPTION_MANY), &asked.shared, "N",
     "serve: tokens more that all prompts begin with (0)"},
    {"--costs", OPT_OUTPUT, &asked.costs, "FILE",
     "serve: what a step takes, for strata simulate"},
    {"--context", OPT_INT(0, OPTION_MANY), &asked.context, "N",
     "model, kv: tokens before these (128)"},
    {"--kv", OPT_TEXT, &asked.compute.kv, "FORMAT",
     "model, serve: keys and values in f16 (the default), f32, bf16, q8_0, q8_0-h, q4_0 or "
     "q4_0-h"},
    {"--rounds", OPT_INT(1, 64), &asked.rounds, "N",
     "model, kv, serve --goals: times to measure each (5)"},
    {"--goals", OPT_FLAG, &asked.goals, NULL,
     "serve: not the table, but what a service promises: the share of a step that is products, "
     "gaps while a prompt of 2048 comes in, a prompt that was read before"},
    {"--own-time", OPT_FLAG, &asked.own_time, NULL,
     "serve, kv, with -t 1: count the time in which the program computes, not what others take "
     "from it"},
    {"--json", OPT_FLAG, &asked.json, NULL, "model, serve: the results as JSON, one line each"},
    {"--layers", OPT_INT(1, 1000), &asked.layers, "N",
     "make-model: layers (22: 1.1 billion weights)"},
    MODEL_OPTIONS(asked.compute),
    {0},
};

const Command command_bench = {
    .name = "bench",
    .usage = "bench "
             "matmul|samplers|grammar|ladder|roofline|quant|model|serve|kv|mixers|tokenizer|"
             "isas|make-model [options]",
    .about =
        "How fast the hot loops are:\n\n"
        "matmul    GFLOP/s of the matrix products, checked first against double precision, "
        "beside the measured peak of\n          the machine and OpenBLAS when it is installed\n"
        "samplers  microseconds of every sampler on peaked, LLM-like and flat logits, on one "
        "thread, scalar and SIMD,\n          beside the time to read the logits once\n"
        "grammar   microseconds of a mask over 128,000 tokens, under JSON and under function "
        "calls, on one thread\n"
        "ladder    every rung from the plain loop to repacked weights, checked, then timed: "
        "GFLOP/s and GB/s\n"
        "roofline  what this machine could do for each number of threads, and how near the "
        "products come\n"
        "quant     every number format: bits, errors, the storyteller's loss, GB/s read and "
        "multiplied\n"
        "model     tokens/s of a model file: reading a prompt, and writing token by token "
        "beside the memory's bandwidth\n"
        "serve     many users at once, for 1 to 32 places: tokens/s, milliseconds to the first "
        "token and between tokens,\n          each batch made anew (continuous) or kept until "
        "all are over (static)\n"
        "kv        every format of keys and values: bytes of a token, the loss on held-out "
        "documents and how far it is\n          from that of f32, tokens/s at the beginning of "
        "a text and behind --context tokens\n"
        "mixers    microseconds in which a memory of fixed size moves on, reading a prompt and "
        "writing, beside the roof of\n          arithmetic or of memory\n"
        "tokenizer [TEXT]   MB/s of text that becomes tokens, of a file or else of stories, "
        "and milliseconds to open the vocabulary\n"
        "isas      the instruction sets there are kernels for, and which of them this machine "
        "has\n"
        "make-model OUT.gguf FORMAT   a model of random weights in the shape of a 1.1B llama, "
        "to measure with",
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
