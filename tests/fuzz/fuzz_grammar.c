/* fuzz_grammar.c - damaged grammars, schemas, patterns and tags, and what follows from them:
 * fuzz_grammar [CASES [FIRST]]
 *
 * A good source of one of the four notations is mangled: bytes changed, pieces cut, doubled, moved and
 * taken from another one.  Either it is refused with a sentence, or it is a grammar: then from each row
 * that a walk comes to, what grammar_mask allows is what grammar_take goes on with, and no row is a dead
 * end.
 *
 * Case N is the same on every machine: `fuzz_grammar 1 N` runs it alone. */
#include "inference.h"
#include "make_model.h"
#include "grammar.h"

enum { SOURCE = 4000, STEPS = 12 };

#include "mangle.h"

static Model model;
static Grammar *grammar;

/* ------------------------------------------------------------------ sources */

typedef enum Notation { GBNF, REGEX, SCHEMA, TAGS, NOTATIONS } Notation;

static size_t tried[NOTATIONS], taken[NOTATIONS];

static const char *const gbnf[] = {
    "root ::= sum \"\\n\"\nsum ::= term (\"+\" term)*\nterm ::= [0-9]+ | \"(\" sum \")\"\n",
    "root ::= \"a\" root \"b\" | \"\" # twice\n",
    "root ::= <[7]> \"x\"{2,5} !<[8]> | [^\\x00-\\x7F]{2,} | .\n",
    "root ::= a b? c*\na ::= b? | c\nb ::= \"\\u00e9\" c\nc ::= [a-c\\]]\n",
};
static const char *const regex[] = {
    "(a|b)*abb",
    "[^\\d\\s]+x{2,3}?|",
    "(^a|b)c$",
    "\\u{1F600}|\\uD83D\\uDE01",
    "\\p{L}+\\.\\w",
    "((a+)+)+b|(a|a)*c",
    "[\\x00-\\xff]{1,40}",
    "(?:x|yz){0,1000}\\n",
};
static const char *const schema[] = {
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":-5,"
    "\"maximum\":12},"
    "\"b\":{\"$ref\":\"#\"}},\"required\":[\"a\"],\"additionalProperties\":false}",
    "{\"oneOf\":[{\"multipleOf\":3},{\"multipleOf\":5}],\"type\":\"integer\"}",
    "{\"type\":\"array\",\"prefixItems\":[{\"const\":1}],\"items\":{\"enum\":[2,\"x\",null]},"
    "\"minItems\":2,\"maxItems\":30}",
    "{\"$defs\":{\"n\":{\"patternProperties\":{\"^s\":{\"type\":\"string\"},\"n$\":{"
    "\"minLength\":2}},"
    "\"type\":\"object\"}},\"anyOf\":[{\"$ref\":\"#/$defs/"
    "n\"},{\"format\":\"date\",\"type\":\"string\"}]}",
    "{\"if\":{\"type\":\"string\"},\"then\":{\"pattern\":\"^a|z$\",\"maxLength\":3},\"else\":{"
    "\"not\":"
    "{\"type\":[\"array\",\"object\"]}}}",
    "{\"type\":\"array\",\"contains\":{\"const\":7},\"items\":{\"type\":\"number\","
    "\"exclusiveMinimum\":0.5}}",
    "{\"not\":{\"additionalProperties\":false,\"properties\":{\"a\":{}},\"patternProperties\":"
    "{\"^b\":{\"type\":\"null\"}},\"propertyNames\":{\"maxLength\":2}},\"maxProperties\":2}",
    "{\"$schema\":\"http://json-schema.org/draft-04/"
    "schema#\",\"not\":{\"oneOf\":[{\"required\":"
    "[\"a\"]},{\"dependencies\":{\"b\":[\"c\"],\"d\":{\"const\":1}}}]},\"id\":\"x\"}",
    "{\"items\":{\"enum\":[\"\\n\",1,1.0,[]],\"not\":{\"const\":1}},\"uniqueItems\":true,"
    "\"multipleOf\":0.25,\"minimum\":1e2}",
    "{\"not\":{\"prefixItems\":[{\"type\":\"array\"},true],\"items\":{\"multipleOf\":12}},"
    "\"minItems\":1,\"maxItems\":3,\"dependentSchemas\":{\"a\":false}}",
};
static const char *const tags[] = {
    "{\"triggers\":[\"<f=\",\"{\"],\"structures\":[{\"begin\":\"<f=a>\",\"schema\":{\"type\":"
    "\"array\",\"items\":{\"$ref\":\"#\"}},\"end\":\"</f>\"},{\"begin\":\"{\",\"end\":\"}\"}],"
    "\"at_least_one\":true}",
    "{\"triggers\":[\"a\",\"ab\"],\"structures\":[{\"begin\":\"ab\",\"regex\":\"x+\",\"end\":"
    "\"a\"},"
    "{\"begin\":\"a\",\"gbnf\":\"root ::= [a-z] root | \\\"e\\\"\",\"end\":\"\"}],"
    "\"stop_after_first\":true}",
    "{\"tags\":[{\"begin\":\"<c>\",\"tags\":[{\"begin\":\"<n>\",\"end\":\"</"
    "n>\"},{\"begin\":\"\","
    "\"schema\":{\"enum\":[1,\"x\"]},\"end\":\"\"}],\"end\":\"</c>\"}]}",
};
static const char *any_source(Notation notation) {
    return notation == GBNF    ? gbnf[below(COUNT(gbnf))]
           : notation == REGEX ? regex[below(COUNT(regex))]
           : notation == TAGS  ? tags[below(COUNT(tags))]
                               : schema[below(COUNT(schema))];
}

static const char bad_words[] =
    "( ) { } [ ] | * + ? ^ $ \\ . , : \" - < > ! = 0 9 a z \n _ \x80 \xC3 \xFF 999999999 99";

static Notation make_source(size_t number) {
    begin_case(number);
    Notation notation = (Notation)below(NOTATIONS);
    Text good = text_of(any_source(notation));
    put(good.data, good.size);
    for (size_t i = below(5); i > 0; i--) mangle(bad_words, text_of(any_source(notation)));
    return notation;
}

/* The source in memory of its own size, so that a byte too many is seen. */
static bool compile(Notation notation, Fault *fault) {
    const GrammarOptions options = {.tokenizer = below(2) ? model.tokenizer : NULL,
                                    .space = (JsonSpace)below(3),
                                    .any_order = below(2),
                                    .left_recursion = below(2)};
    char *exact = malloc(f.size + !f.size);
    memcpy(exact, f.bytes, f.size);
    Text text = {exact, f.size};
    bool ok = notation == GBNF    ? grammar_from_gbnf(&grammar, text, &options, fault)
              : notation == REGEX ? grammar_from_regex(&grammar, text, fault)
              : notation == TAGS  ? grammar_from_tags(&grammar, text, &options, fault)
                                  : grammar_from_schema(&grammar, text, &options, fault);
    free(exact);
    return ok;
}

/* ------------------------------------------------------------------ what must hold */

/* Bits are moves; returns how many tokens may come, and one of them. */
static size_t check_mask(uint32_t row, int32_t *chosen) {
    size_t words, count = 0;
    const uint64_t *mask = grammar_mask(grammar, row, &words);
    uint64_t kept[MAKE_VOCAB / 64 + 1] = {0};
    memcpy(kept, mask, words * sizeof *mask);
    for (size_t id = 0; id < MAKE_VOCAB; id++) {
        bool bit = kept[id / 64] >> (id % 64) & 1;
        bool takes = grammar_take(grammar, row, (int32_t)id) != GRAMMAR_DEAD;
        EXPECT(bit == takes || grammar_is_exhausted(grammar));
        if (bit && below(++count) == 0) *chosen = (int32_t)id;
    }
    return count;
}

static void walk(void) {
    uint32_t row = grammar_begin(grammar);
    for (size_t i = 0; i < STEPS && row != GRAMMAR_DEAD; i++) {
        int32_t token = 0;
        bool over = grammar_is_over(grammar, row), goes_on = false;
        size_t count = check_mask(row, &token);
        for (int b = 0; b < 256 && !goes_on; b++)
            goes_on = grammar_next(grammar, row, (uint8_t)b) != GRAMMAR_DEAD;
        if (grammar_is_exhausted(grammar)) return;
        EXPECT(goes_on || grammar_is_complete(grammar, row));
        EXPECT(over == (!goes_on && grammar_is_complete(grammar, row)));
        EXPECT((grammar_missing(grammar, row) == 0) == grammar_is_complete(grammar, row));
        if (count == 0 || tokenizer_is_end(model.tokenizer, token)) return;
        row = grammar_take(grammar, row, token);
    }
}

static void run_case(size_t number) {
    Fault fault = {""};
    grammar = NULL;
    Notation notation = make_source(number);
    tried[notation]++;
    if (!compile(notation, &fault)) {
        EXPECT(strlen(fault.text) > 10 && !strchr(fault.text, '\n'));
        return;
    }
    taken[notation]++;
    EXPECT(grammar_bind(grammar, model.tokenizer, &fault));
    walk();
    grammar_close(grammar);
}

int main(int argc, char **argv) {
    size_t cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000,
           first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, size;
    MakeModel m = make_model_defaults("llama");
    unsigned char *bytes = make_model(&m, &size);
    if (!model_open_memory(&model, bytes, size, NULL)) return 1;
    for (size_t i = 0; i < cases; i++) run_case(first + i);
    static const char *const names[] = {"grammars", "patterns", "schemas", "tags"};
    for (size_t i = 0, all = 0; i < NOTATIONS; i++) {
        printf("%s%zu %s (%zu of them taken)", i ? ", " : "", tried[i], names[i], taken[i]);
        if ((all += taken[i]) == 0 && i == TAGS && cases > 100) return 1;
    }
    printf(": nothing found\n");
    model_close(&model), free(bytes);
    return 0;
}
