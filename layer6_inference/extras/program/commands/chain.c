/* chain.c - strata chain: applies a chain to logits from a file, stage by stage. */
#include "commands.h"
#include "compute.h"
#include "input.h"
#include "listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *chain, *logits, *history, *amateur, *unconditional, *model;
    long seed, draws, prompt;
    bool probs, final;
} asked = {.chain = chain_default, .logits = "-", .seed = 1, .prompt = -1};

typedef struct LogitRow {
    float *values;
    size_t count;
} LogitRow;

static void add_number(LogitRow *row, size_t *room, double number) {
    NEED_MEMORY(GROW(row->values, *room, row->count + 1), "%zu numbers", row->count);
    row->values[row->count++] = (float)number;
}

/* A finite decimal number (strtod also reads 0x10, inf and nan), or a logit of -inf. */
static bool is_value(const char *text, double value, bool probs) {
    if (probs ? value < 0 : strcmp(text, "-inf") == 0) return !probs;
    return !strpbrk(text, "xXiInN") && isfinite((float)value);
}

/* One number per line; the line number is the token.  Skips empty lines at the end. */
static bool parse_logits(char *text, bool probs, const char *name, LogitRow *row,
                         Fault *fault) {
    size_t room = 0;
    *row = (LogitRow){0};
    for (char *line = text; line;) {
        char *end, *next = strchr(line, '\n');
        if (next) *next++ = 0;
        line += strspn(line, " \t\r");
        if (*line == 0 && (!next || next[strspn(next, " \t\r\n")] == 0)) break;
        double value = strtod(line, &end);
        char *rest = end + strspn(end, " \t\r");
        if (*rest == 0) *end = 0;
        if (end == line || *end || !is_value(line, value, probs))
            return fault_set(fault,
                             "%s, line %zu: '%.40s' is no %s: wanted a finite decimal number%s",
                             name, row->count + 1, line, probs ? "probability" : "logit",
                             probs ? " from 0" : ", or -inf");
        add_number(row, &room, probs ? log(value) : value);
        line = next;
    }
    return row->count > 0 || fault_set(fault, "%s is empty: wanted one number per line", name);
}

static bool read_logits(const char *path, bool probs, LogitRow *row, Fault *fault) {
    size_t size;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char *text = read_named(path, &size, fault);
    if (!text) return false;
    bool ok =
        (!memchr(text, 0, size) ||
         fault_set(fault, "%s has a zero byte: wanted numbers as text, one per line", name)) &&
        parse_logits(text, probs, name, row, fault);
    free(text);
    return ok;
}

static bool same_size(const LogitRow *row, const LogitRow *other, const char *name,
                      Fault *fault) {
    return !other->values || other->count == row->count ||
           fault_set(fault, "%s has %zu numbers, the logits have %zu", name, other->count,
                     row->count);
}

typedef struct ChainBench {
    LogitRow logits, amateur, unconditional;
    TokenList history;
    Candidates candidates;
    Arena arena;
    Model model;
    bool has_model;
    Chain chain;
    float *copy;
} ChainBench;

static const OptionRule chain_rules[] = {
    {"--final", NOT_WITH, "--draws", "--draws shows counts, not stages"},
    {"--prompt", NEEDS, "--history", "it splits the history"},
    {"--amateur", NEEDS, "contrast dola ref", "add that stage: --chain contrast:0.1"},
    {"--unconditional", NEEDS, "cfg", "add that stage: --chain cfg:1.5"},
    {"-m", NEEDS, "ban dry length min_tokens think", "the other stages need no text"},
    {0},
};

static bool chain_bench_open(ChainBench *b, Fault *fault) {
    if (!read_logits(asked.logits, asked.probs, &b->logits, fault)) return false;
    size_t vocab = b->logits.count;
    if (asked.model &&
        (!choose_model(&asked.model, fault) || !model_open(&b->model, asked.model, fault)))
        return false;
    b->has_model = asked.model != NULL;
    const Tokenizer *tokenizer = b->has_model ? b->model.tokenizer : NULL;
    if (tokenizer && vocab > tokenizer_count(tokenizer))
        return fault_set(fault, "the logits are those of %zu tokens, %s has %zu", vocab,
                         asked.model, tokenizer_count(tokenizer));
    if (!candidates_open(&b->candidates, vocab, &b->arena, fault)) return false;
    b->copy = malloc(vocab * sizeof *b->copy);
    return (b->copy || fault_set(fault, "no memory for the logits")) &&
           chain_parse(&b->chain, asked.chain, tokenizer, fault) &&
           rules_check(chain_rules, chain_has, &b->chain, fault) &&
           (!asked.amateur || read_logits(asked.amateur, asked.probs, &b->amateur, fault)) &&
           (!asked.unconditional ||
            read_logits(asked.unconditional, asked.probs, &b->unconditional, fault)) &&
           same_size(&b->logits, &b->amateur, "the amateur", fault) &&
           same_size(&b->logits, &b->unconditional, "the unconditional", fault) &&
           (!asked.history || list_read_ids(asked.history, vocab, &b->history, fault) ||
            fault_prefix(fault, "--history")) &&
           (asked.prompt <= (long)b->history.count ||
            fault_set(fault, "--prompt %ld: the history has %zu tokens", asked.prompt,
                      b->history.count));
}

static void chain_bench_close(ChainBench *b) {
    chain_close(&b->chain);
    arena_free(&b->arena);
    token_list_free(&b->history);
    free(b->logits.values), free(b->amateur.values), free(b->unconditional.values);
    free(b->copy);
    if (b->has_model) model_close(&b->model);
}

static bool chain_bench_run(ChainBench *b, uint64_t position, int32_t *token, Fault *fault) {
    long prompt = asked.prompt;
    Step step = {.seed = (uint64_t)asked.seed,
                 .position = position,
                 .history = b->history.ids,
                 .history_count = b->history.count,
                 .prompt_count = prompt < 0 ? b->history.count : (size_t)prompt,
                 .tokenizer = b->has_model ? b->model.tokenizer : NULL,
                 .amateur = b->amateur.values,
                 .unconditional = b->unconditional.values};
    memcpy(b->copy, b->logits.values, b->logits.count * sizeof *b->copy);
    return candidates_load(&b->candidates, b->copy, fault) &&
           chain_run(&b->chain, &b->candidates, &step, token, fault);
}

static bool print_stages(ChainBench *b, Fault *fault) {
    Trace trace;
    int32_t token;
    if (!trace_open(&trace, stdout, b->logits.count, NULL, fault)) return false;
    if (asked.final) trace.only = "last";
    trace_observe(&trace, &b->chain);
    bool ok = chain_bench_run(b, b->history.count, &token, fault);
    trace_close(&trace);
    char *text = chain_print(&b->chain);
    if (ok) fprintf(stderr, "[%s | token %d]\n", text, token);
    free(text);
    return ok;
}

static bool print_draws(ChainBench *b, Fault *fault) {
    long *counts = calloc(b->logits.count, sizeof *counts);
    bool ok = counts || fault_set(fault, "no memory for counts");
    for (long i = 0; ok && i < asked.draws; i++) {
        int32_t token;
        ok = chain_bench_run(b, b->history.count + (uint64_t)i, &token, fault);
        if (ok) counts[token]++;
    }
    if (ok) printf("token,count\n");
    for (size_t i = 0; ok && i < b->logits.count; i++)
        if (counts[i]) printf("%zu,%ld\n", i, counts[i]);
    free(counts);
    return ok;
}

static bool chain_command_run(Fault *fault) {
    ChainBench *bench = calloc(1, sizeof *bench);
    if (!bench) return fault_set(fault, "no memory for the logits");
    bool ok = chain_bench_open(bench, fault) &&
              (asked.draws ? print_draws(bench, fault) : print_stages(bench, fault));
    chain_bench_close(bench);
    free(bench);
    return ok;
}

static const Option chain_options[] = {
    {"--chain", OPT_TEXT, &asked.chain, "SPEC",
     "the sampler chain (strata samplers lists the stages)"},
    {"--logits", OPT_TEXT, &asked.logits, "FILE",
     "one logit per line; line N is token N (-: stdin)"},
    {"--probs", OPT_FLAG, &asked.probs, NULL, "the lines are probabilities instead"},
    {"--history", OPT_TEXT, &asked.history, "IDS", "the tokens so far: 1,2,3"},
    {"--prompt", OPT_INT(0, OPTION_MANY), &asked.prompt, "N",
     "how many of them belong to the prompt (all)"},
    {"--amateur", OPT_TEXT, &asked.amateur, "FILE",
     "logits of a weaker model, for the stage contrast"},
    {"--unconditional", OPT_TEXT, &asked.unconditional, "FILE",
     "logits without the prompt, for the stage cfg"},
    {"-m", OPT_TEXT, &asked.model, "FILE",
     "the model whose tokens these are, for stages that read text (ban, dry, ...)"},
    {"--seed", OPT_INT(0, 9e18), &asked.seed, "N", "random seed (1)"},
    {"--final", OPT_FLAG, &asked.final, NULL, "print only the last stage"},
    {"--draws", OPT_INT(0, OPTION_MANY), &asked.draws, "N",
     "count the tokens of N draws instead"},
    {0},
};

const Command command_chain = {.name = "chain",
                               .usage = "chain --chain SPEC [--logits FILE] [options]",
                               .about = "Run a chain on given logits and print what each stage "
                                        "did, as CSV: place,stage,rank,token,logit,prob,kept.",
                               .options = chain_options,
                               .rules = chain_rules,
                               .run = chain_command_run};
