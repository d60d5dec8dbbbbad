/* bench.c - strata bench: how fast the hot loops are. */
#include "bench.h"
#include "families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

bool bench_open_chain(Chain *chain, const Model *model, Fault *fault) {
    char spec[64] = "draw";
    int32_t bos = tokenizer_bos(model->tokenizer);
    if (more_of(model)->encoder)
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
    qsort(times, n, sizeof *times, compare);
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
} benches[] = {{"matmul", bench_matmul, {{"256", "512", "1024", "2048"}, 4}},
               {"samplers", bench_samplers, {{"32768", "131072", "262144"}, 3}},
               {"grammar", bench_grammar, {{NULL}, 0}},
               {"ladder", bench_ladder, {{NULL}, 0}},
               {"roofline", bench_roofline, {{NULL}, 0}},
               {"quant", bench_quant, {{NULL}, 0}},
               {"model", bench_model, {{NULL}, 0}},
               {"serve", bench_serve, {{NULL}, 0}},
               {"kv", bench_kv, {{NULL}, 0}},
               {"mixers", bench_mixers, {{NULL}, 0}},
               {"tokenizer", bench_tokenizer, {{NULL}, 0}},
               {"isas", bench_isas, {{NULL}, 0}},
               {"make-model", bench_make_model, {{NULL}, 0}}};

enum { BENCHES = sizeof benches / sizeof *benches };

/* Its number, or BENCHES when nothing is called so. */
static size_t find_bench(const char *name) {
    size_t i = 0;
    while (i < BENCHES && strcmp(name, benches[i].name) != 0) i++;
    return i;
}

static const OptionRule rules[] = {
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
    {"--users", NEEDS, "serve", "only there users come"},
    {"--trace", NEEDS, "serve", "only there users come"},
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

/* Zeros of bench model that leave nothing to do, or an option without use. */
static bool check_counts(const CommandLine *line, const char *name, const BenchJob *job,
                         Fault *fault) {
    if (job->own_time && job->compute.threads != 1)
        return fault_set(fault, "--own-time is the time of one thread: it needs -t 1");
    if (strcmp(name, "serve") == 0)
        return (job->prompt && job->count) ||
               fault_set(fault, "users ask and are answered: -p and -n are 1 or more");
    if (strcmp(name, "kv") == 0)
        return (job->count && job->count <= 256) ||
               fault_set(fault, "-n is 1 to 256 for kv: tokens that are timed");
    if (job->count) return true;
    if (!job->prompt)
        return fault_set(fault, "-p 0 and -n 0 leave nothing to measure: give one of them");
    return !command_line_has(line, "--context") ||
           fault_set(fault, "--context does not go with -n 0: it is the text before tokens "
                            "that are written");
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

/* Run what the words and options ask for; `names` are the words, the benchmark first. */
static int run_job(BenchJob *job, const CommandLine *line, const char *const *names) {
    Fault fault;
    const size_t bench = find_bench(names[0]);
    if (bench == BENCHES) {
        char list[200] = "", hint[80];
        for (size_t i = 0; i < BENCHES; i++)
            strcat(strcat(list, i ? ", " : ""), benches[i].name);
        fprintf(stderr, "strata: nothing called '%s' to measure: there are %s%s\n", names[0],
                list, nearest_hint(hint, sizeof hint, text_of(names[0]), list));
        return EXIT_USAGE;
    }
    bool makes = strcmp(names[0], "make-model") == 0;
    bool reads = strcmp(names[0], "tokenizer") == 0 && !names[2];
    if (!rules_check_word(line, names[0], &fault) ||
        !check_counts(line, names[0], job, &fault) ||
        (names[1] && !makes && !reads &&
         !fault_set(&fault, "nothing is done with '%.60s': %s takes no file", names[1],
                    names[0])))
        return wrong_usage(&fault, line->usage);
    if (makes && names[1] && !file_writable(names[1], &fault)) return command_failed(&fault);
    if (job->sizes.count == 0) job->sizes = benches[bench].sizes;
    job->files[0] = names[1], job->files[1] = names[2];
    if (strcmp(names[0], "serve") == 0 && !command_line_has(line, "-p")) job->prompt = 64;
    job->compute.pin = job->compute.threads <= cpu_count();
    return benches[bench].run(job, &fault) ? EXIT_DONE : command_failed(&fault);
}

static int run(int argc, char **argv) {
    BenchJob job = {.seconds = 1,
                    .prompt = 512,
                    .count = 64,
                    .context = 128,
                    .rounds = 5,
                    .layers = 22,
                    .documents = 100,
                    .users = 16};
    const char *names[3] = {NULL, NULL, NULL};
    if (argc > 1 && strncmp(argv[1], "--", 2) == 0 && find_bench(argv[1] + 2) < BENCHES)
        argv[1] += 2; /* --ladder is the ladder, too */
    const Option options[] = {
        {"--size", OPT_LIST, &job.sizes, "N",
         "matmul: N x N matrices; samplers: N tokens (may be given several times)"},
        {"--chain", OPT_LIST, &job.chains, "SPEC",
         "samplers: this one only (may be given several times)"},
        {"--seconds", OPT_REAL(0, 3600), &job.seconds, "X", "time for each kernel (1)"},
        {"--csv", OPT_OUTPUT, &job.csv, "FILE",
         "samplers, grammar, quant, roofline, kv: the table as CSV, too"},
        {"--folder", OPT_TEXT, &job.folder, "DIR",
         "grammar: not speed, but how many schemas of a folder are taken, and how often they "
         "are wrong"},
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model, quant, serve, kv, tokenizer: the file to measure (the storyteller)"},
        {"--format", OPT_TEXT, &job.format, "NAME", "ladder: this format only"},
        {"--documents", OPT_INT(1, OPTION_MANY), &job.documents, "N",
         "quant, kv: held-out documents for the loss (100)"},
        {"-p", OPT_INT(0, OPTION_MANY), &job.prompt, "N",
         "model: tokens to read at once (512; 0: none); serve: of a prompt, about (64)"},
        {"-n", OPT_INT(0, OPTION_MANY), &job.count, "N",
         "model, serve, kv: tokens to write one by one (64; model: 0 for none)"},
        {"--users", OPT_INT(1, 10000), &job.users, "N", "serve: users who come at once (16)"},
        {"--trace", OPT_TEXT, &job.trace, "FILE",
         "serve: who comes when, for how much: a table arrival,prompt,answer[,priority[,user]] "
         "(strata simulate --save-trace)"},
        {"--places", OPT_INT(0, 1024), &job.places, "N",
         "serve: texts at once (0: 1, 2, 4 ... 32, a row for each)"},
        {"--shared", OPT_INT(0, OPTION_MANY), &job.shared, "N",
         "serve: tokens more that all prompts begin with (0)"},
        {"--costs", OPT_OUTPUT, &job.costs, "FILE",
         "serve: what a step takes, for strata simulate"},
        {"--context", OPT_INT(0, OPTION_MANY), &job.context, "N",
         "model, kv: tokens before these (128)"},
        {"--kv", OPT_TEXT, &job.compute.kv, "FORMAT",
         "model, serve: keys and values in f16 (the default), f32, bf16, q8_0, q8_0-h, q4_0 or "
         "q4_0-h"},
        {"--rounds", OPT_INT(1, 64), &job.rounds, "N",
         "model, kv, serve --goals: times to measure each (5)"},
        {"--goals", OPT_FLAG, &job.goals, NULL,
         "serve: not the table, but what a service promises: the share of a step that is "
         "products, gaps while a prompt of 2048 "
         "comes in, a prompt that was read before"},
        {"--own-time", OPT_FLAG, &job.own_time, NULL,
         "serve, kv, with -t 1: count the time in which the program computes, not what others "
         "take from it"},
        {"--json", OPT_FLAG, &job.json, NULL,
         "model, serve: the results as JSON, one line each"},
        {"--layers", OPT_INT(1, 1000), &job.layers, "N",
         "make-model: layers (22: 1.1 billion weights)"},
        MODEL_OPTIONS(job.compute),
        {0},
    };
    const CommandLine line = {
        argc,
        argv,
        "bench "
        "matmul|samplers|grammar|ladder|roofline|quant|model|serve|kv|mixers|tokenizer|isas|"
        "make-"
        "model "
        "[options]",
        "How fast the hot loops are:\n\n"
        "matmul    GFLOP/s of the matrix products, checked first against double precision, "
        "beside the measured peak of\n          the machine and OpenBLAS when it is installed\n"
        "samplers  microseconds of every sampler on peaked, LLM-like and flat logits, on one "
        "thread, scalar and SIMD,\n          beside the time to read the logits once\n"
        "grammar   microseconds of a mask over 128,000 tokens, under JSON and under function "
        "calls, "
        "on one thread\n"
        "ladder    every rung from the plain loop to repacked weights, checked, then timed: "
        "GFLOP/s and GB/s\n"
        "roofline  what this machine could do for each number of threads, and how near the "
        "products come\n"
        "quant     every number format: bits, errors, the storyteller's loss, GB/s read and "
        "multiplied\n"
        "model     tokens/s of a model file: reading a prompt, and writing token by token "
        "beside the memory's bandwidth\n"
        "serve     many users at once, for 1 to 32 places: tokens/s, milliseconds to the first "
        "token and "
        "between tokens,\n          each batch made anew (continuous) or kept until all are "
        "over (static)\n"
        "kv        every format of keys and values: bytes of a token, the loss on held-out "
        "documents and how far it is\n          from that of f32, tokens/s at the beginning of "
        "a text and behind --context tokens\n"
        "mixers    microseconds in which a memory of fixed size moves on, reading a prompt and "
        "writing, beside the roof of\n          arithmetic or of memory\n"
        "tokenizer [TEXT]   MB/s of text that becomes tokens, of a file or else of stories, "
        "and "
        "milliseconds to open the vocabulary\n"
        "isas      the instruction sets there are kernels for, and which of them this machine "
        "has\n"
        "make-model OUT.gguf FORMAT   a model of random weights in the shape of a 1.1B llama, "
        "to measure with",
        options,
        rules};
    int status = command_line_read(&line, names, 1, 3);
    if (status >= 0) return status;
    return run_job(&job, &line, names);
}

const Command command_bench = {
    .name = "bench", .gloss = "how fast the hot loops are", .run = run};
