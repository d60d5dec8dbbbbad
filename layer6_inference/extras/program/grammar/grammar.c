/* grammar.c - the options of strata grammar.  See tools.h for the rest. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "tools.h"
#include "grammar.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_SAMPLES = 1000000 };

static struct {
    const char *gbnf, *schema, *tags, *regex;
    const char *space, *explain, *mask, *model;
    long samples;
    uint64_t seed;
    bool accept, stats;
    GrammarOptions options;
    double seconds; /* to compile */
} asked = {.seed = 1};

static bool read_json_space(Fault *fault) {
    static const char *const names[] = {"free", "one", "none"};
    for (int i = 0; asked.space && i < 3; i++)
        if (strcmp(asked.space, names[i]) == 0) return asked.options.space = (JsonSpace)i, true;
    return !asked.space ||
           fault_set(fault, "--space is '%s', wanted free, one or none", asked.space);
}

static bool compile_grammar(Text source, Grammar **grammar, Fault *fault) {
    return asked.regex  ? grammar_from_regex(grammar, source, fault)
           : asked.gbnf ? grammar_from_gbnf(grammar, source, &asked.options, fault)
           : asked.tags ? grammar_from_tags(grammar, source, &asked.options, fault)
                        : grammar_from_schema(grammar, source, &asked.options, fault);
}

static void print_grammar_stats(const Grammar *grammar) {
    GrammarSize size = grammar_size(grammar);
    fprintf(stderr,
            "[%zu rules, %zu expressions, %zu rows, %zu derivatives | compiled in %.2f ms]\n",
            size.rules, size.expressions, size.rows, size.steps, 1e3 * asked.seconds);
}

static bool use_grammar(Grammar *grammar, const Tokenizer *tokenizer, Fault *fault) {
    size_t tokens = tokenizer ? tokenizer_count(tokenizer) : 0;
    bool ok = !tokenizer || grammar_bind(grammar, tokenizer, fault);
    if (ok && asked.accept) ok = accept_lines(grammar, tokens, fault);
    if (ok && asked.explain) ok = explain_text(grammar, text_of(asked.explain), fault);
    if (ok && asked.mask) ok = list_mask(grammar, tokenizer, text_of(asked.mask), fault);
    if (ok && asked.samples)
        ok = sample_texts(grammar, tokenizer, (size_t)asked.samples, asked.seed, fault);
    if (ok && asked.stats) print_grammar_stats(grammar);
    return ok;
}

static int compile_and_use(Text source, const Tokenizer *tokenizer) {
    Grammar *grammar = NULL;
    Fault fault;
    double start = clock_seconds();
    bool compiled = compile_grammar(source, &grammar, &fault);
    asked.seconds = clock_seconds() - start;
    bool ok = compiled && use_grammar(grammar, tokenizer, &fault);
    grammar_close(grammar);
    if (ok) return EXIT_DONE;
    command_failed(&fault);
    return compiled || fault_is_memory(&fault) ? EXIT_FAILED : EXIT_REFUSED;
}

static const char *file_of_grammar(void) {
    return asked.gbnf ? asked.gbnf : asked.schema ? asked.schema : asked.tags;
}

static int grammar_run(void) {
    Tokenizer *tokenizer = NULL;
    Fault fault;
    char *bytes = NULL;
    const char *file = file_of_grammar();
    Text source = asked.regex ? text_of(asked.regex) : (Text){0};
    bool ok = (!file || (bytes = read_named(file, &source.size, &fault))) &&
              (!(asked.model || asked.mask) ||
               (tokenizer = choose_tokenizer(&asked.model, TOKENS_AS_TRAINED, &fault)));
    if (file) source.data = bytes;
    asked.options.tokenizer = tokenizer;
    int status = ok ? compile_and_use(source, tokenizer) : command_failed(&fault);
    tokenizer_close(tokenizer);
    free(bytes);
    return status;
}

static const OptionRule grammar_rules[] = {
    {"--gbnf", NOT_WITH, "--schema --tags --regex", "one grammar at a time"},
    {"--schema", NOT_WITH, "--tags --regex", "one grammar at a time"},
    {"--tags", NOT_WITH, "--regex", "one grammar at a time"},
    {"--space", NEEDS, "--schema --tags", "other notations spell out their white space"},
    {"--any-order", NEEDS, "--schema --tags", "only schemas declare properties"},
    {"--left-recursion", NEEDS, "--gbnf --tags", "only GBNF can have left-recursive rules"},
    {"--accept", NOT_WITH, "--explain --sample --mask", "one question at a time"},
    {"--explain", NOT_WITH, "--sample --mask -m", "it explains one text, byte by byte"},
    {"--sample", NOT_WITH, "--mask", "one question at a time"},
    {"--seed", NEEDS, "--sample", "nothing else is random"},
    {0},
};

static const Option grammar_options[] = {
    {"--gbnf", OPT_TEXT, &asked.gbnf, "FILE",
     "a GBNF grammar, llama.cpp's notation (-: stdin)"},
    {"--schema", OPT_TEXT, &asked.schema, "FILE", "a JSON Schema (-: stdin)"},
    {"--tags", OPT_TEXT, &asked.tags, "FILE",
     "tags whose content is constrained, described in JSON (-: stdin)"},
    {"--regex", OPT_TEXT, &asked.regex, "TEXT",
     "a regular expression that matches the whole text"},
    {"--accept", OPT_FLAG, &asked.accept, NULL,
     "for each line of stdin, a JSON string or an array of strings and token ids: print 1 if "
     "the grammar accepts the text, else 0"},
    {"--explain", OPT_TEXT, &asked.explain, "TEXT",
     "how far the grammar accepts this text, and what it expected there"},
    {"--sample", OPT_INT(1, MANY_SAMPLES), &asked.samples, "N",
     "generate N random texts, one JSON string per line, byte by byte or with -m token by "
     "token"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "random seed; the same seed gives the same texts (1)"},
    {"--mask", OPT_TEXT, &asked.mask, "PREFIX", "list the tokens that may follow this text"},
    {"--stats", OPT_FLAG, &asked.stats, NULL, "print its size and compile time on stderr"},
    {"-m", OPT_TEXT, &asked.model, "FILE",
     "the model whose tokens to use (--mask: the built-in storyteller)"},
    {"--space", OPT_TEXT, &asked.space, "WHERE",
     "white space in a schema's JSON: free (anywhere), one (a space after a comma or colon) or "
     "none"},
    {"--any-order", OPT_FLAG, &asked.options.any_order, NULL,
     "accept a schema's properties in any order, not only as declared"},
    {"--left-recursion", OPT_FLAG, &asked.options.left_recursion, NULL,
     "allow left-recursive rules, which llama.cpp refuses"},
    {0},
};

static bool grammar_check(Fault *fault) {
    const char *file = file_of_grammar();
    if (!read_json_space(fault)) return false;
    if (!file && !asked.regex)
        return fault_set(
            fault, "no grammar: give --gbnf FILE, --schema FILE, --tags FILE or --regex TEXT");
    return !file || !asked.accept || strcmp(file, "-") != 0 ||
           fault_set(fault, "the grammar and --accept cannot both read standard input");
}

const Command command_grammar = {
    .name = "grammar",
    .usage = "grammar --gbnf FILE | --schema FILE | --tags FILE | --regex TEXT [options]",
    .about = "Show what a grammar allows.  Exit status 3: the grammar is refused.",
    .options = grammar_options,
    .rules = grammar_rules,
    .check = grammar_check,
    .run_status = grammar_run};
