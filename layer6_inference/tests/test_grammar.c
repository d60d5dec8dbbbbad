/* Grammars: what they hold, where texts come to, and which tokens they allow. */
#include "check.h"
#include "open_vocab.h"
#include "inference_extras.h"
#include "grammar.h"

#include <string.h>

/* ------------------------------------------------------------------ texts */

typedef enum Notation { GBNF, REGEX, SCHEMA, TAGS } Notation;

static Grammar *compiled(Notation notation, const char *source, const GrammarOptions *options,
                         Fault *fault) {
    static const GrammarOptions plain;
    Grammar *g = NULL;
    Text text = text_of(source);
    if (!options) options = &plain;
    bool ok = notation == GBNF    ? grammar_from_gbnf(&g, text, options, fault)
              : notation == REGEX ? grammar_from_regex(&g, text, fault)
              : notation == TAGS  ? grammar_from_tags(&g, text, options, fault)
                                  : grammar_from_schema(&g, text, options, fault);
    return ok ? g : NULL;
}

static bool holds(Grammar *g, const char *text) {
    return grammar_is_complete(g, grammar_read(g, grammar_begin(g), text, strlen(text)));
}

/* Texts that belong to it, one after the other, an empty line (NULL), and texts that do not. */
typedef struct Case {
    Notation notation;
    const char *source;
    const char *texts[24];
} Case;

static const Case cases[] = {
    {GBNF, "root ::= \"a\" root \"b\" | \"ab\"", {"ab", "aabb", NULL, "", "aab", "abb"}},
    {GBNF,
     "root ::= a b c \".\"\na ::= b?\nb ::= c?\nc ::= \"c\"?",
     {".", "ccc.", NULL, "cccc."}},
    {GBNF, "root ::= A A A A\nA ::= \"a\" | \"\"", {"", "a", "aaaa", NULL, "aaaaa"}},
    {GBNF, "root ::= x*\nx ::= \"(\" x* \")\"", {"", "()", "(())()", NULL, "(", "())"}},
    {GBNF, "root ::= c\nc ::= [a-z] c | \"\"", {"", "abcabcabc", NULL, "1", "a1"}},
    {GBNF, "root ::= [^\\x00-\\x7F]{2}", {"\xc3\xa9\xe2\x82\xac", NULL, "\xc3\xa9", "ab"}},
    {GBNF, "root ::= (\"a\" | \"aa\"){1,3} \"b\"", {"ab", "aaaaaab", NULL, "b", "aaaaaaab"}},
    {GBNF, "root ::= <[7]> \"x\" !<[8]>", {"\xff\1", NULL, "x"}},
    {REGEX, "(a|b)*abb", {"abb", "babb", NULL, "ab", "abba", ""}},
    {REGEX, "[^\\d\\s]+", {"abc", "\xc3\xa9", NULL, "a1", ""}},
    {REGEX, "x{2,3}?|", {"", "xx", "xxx", NULL, "x", "xxxx"}},
    {REGEX, "(^a|b)c$", {"ac", "bc", NULL, "c", "abc"}},
    {REGEX,
     "\\p{Lu}\\p{gc=Ll}+\\p{Nd}?\\P{L}",
     {"\xc3\x84h5.", "Ah.", NULL, "ah.", "A5.", "Ah"}},
    {SCHEMA,
     "{\"type\":\"array\",\"items\":{\"enum\":[\"a\",1,1.0,null,2],\"not\":{\"const\":2}},"
     "\"uniqueItems\":true,\"minItems\":1}",
     {"[1]", "[\"a\"]", "[1,null,\"a\"]", NULL, "[]", "[1,1]", "[1,1.0]", "[2]",
      "[\"a\",1,\"a\"]"}},
    {SCHEMA,
     "{\"type\":\"object\",\"patternProperties\":{\"^a\":{\"type\":\"null\"},\"b\":true,\"^c\":"
     "{\"const\":"
     "1},\"^d\":true,\"^e\":true,\"^f\":true,\"^g\":true,\"^h\":{\"const\":2}},"
     "\"additionalProperties\":false}",
     {"{}", "{\"a\":null}", "{\"h\":2,\"xb\":3}", "{\"hb\":2}", NULL, "{\"i\":1}", "{\"ab\":1}",
      "{\"h\":1}"}},
    {REGEX, "\\u{1F600}|\\uD83D\\uDE01", {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81", NULL, "x"}},
    {SCHEMA,
     "{\"type\":\"integer\",\"minimum\":-5,\"maximum\":12}",
     {"-5", "0", "12", "9", NULL, "-6", "13", "1.5", "100", "01", "\"5\""}},
    {SCHEMA,
     "{\"multipleOf\":0.25,\"exclusiveMinimum\":0}",
     {"0.25", "1.5", "2", "1.750", "\"x\"", NULL, "0", "0.1", "-0.25", "0.3"}},
    {SCHEMA, "{\"not\":{\"type\":\"integer\"},\"type\":\"number\"}", {"1.5", NULL, "1", "1.0"}},
    {SCHEMA, "{\"type\":\"integer\"}", {"1", "1.0", "-0.0", "10.0", NULL, "1.5", "1.00", ".0"}},
    {SCHEMA,
     "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"type\":\"integer\"}",
     {"1", "-20", NULL, "1.0", "-0.0"}},
    {SCHEMA,
     "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"type\":\"number\",\"not\":{"
     "\"type\":\"integer\"}}",
     {"1.0", "1.5", NULL, "1"}},
    {SCHEMA,
     "{\"type\":\"integer\",\"minimum\":5,\"multipleOf\":5}",
     {"5", "5.0", NULL, "4.0", "7.0"}},
    {SCHEMA,
     "{\"allOf\":[{\"properties\":{\"b\":{}}},{\"properties\":{\"a\":{}}}],\"properties\":{"
     "\"c\":{}},"
     "\"required\":[\"c\",\"a\",\"b\"],\"type\":\"object\"}",
     {"{\"b\":1,\"a\":1,\"c\":1}", NULL, "{\"c\":1,\"b\":1,\"a\":1}",
      "{\"a\":1,\"b\":1,\"c\":1}"}},
    {SCHEMA,
     "{\"properties\":{\"c\":{}},\"allOf\":[{\"properties\":{\"b\":{},\"c\":{}}},{"
     "\"properties\":{\"a\":{}}}],"
     "\"required\":[\"a\",\"b\",\"c\"],\"type\":\"object\"}",
     {"{\"c\":1,\"b\":1,\"a\":1}", NULL, "{\"b\":1,\"c\":1,\"a\":1}"}},
    {SCHEMA,
     "{\"type\":\"string\",\"format\":\"hostname\"}",
     {"\"a\"", "\"ab-c\"", "\"a--b.c\"", "\"abc--d\"", NULL, "\"xn--X\"", "\"a.XN--b\"",
      "\"ab--c\"", "\"a-\""}},
    {SCHEMA,
     "{\"type\":\"string\",\"pattern\":\"^a|z$\",\"maxLength\":3}",
     {"\"a\"", "\"abc\"", "\"xyz\"", "\"\\u0061\"", NULL, "\"abcd\"", "\"b\"", "\"\"", "5"}},
    {SCHEMA,
     "{\"type\":\"string\",\"minLength\":1,\"maxLength\":1}",
     {"\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\"", "\"\\n\"", NULL, "\"\"", "\"ab\"",
      "\"\n\""}},
    {SCHEMA,
     "{\"enum\":[1,\"a\",null,{\"b\":[2]}],\"type\":[\"number\",\"object\"]}",
     {"1", "1.0", "{\"b\":[2]}", "{ \"b\" : [ 2 ] }", NULL, "\"a\"", "null", "2"}},
    {SCHEMA,
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{}},\"required\":"
     "[\"b\"]}",
     {"{\"b\":1}", "{\"a\":1,\"b\":{}}", "{\"x\":1,\"b\":2,\"y\":[]}", NULL, "{}", "{\"a\":1}",
      "{\"a\":\"x\",\"b\":1}", "{\"b\":1,}", "[]"}},
    {SCHEMA,
     "{\"patternProperties\":{\"^s\":{\"type\":\"string\"},\"n$\":{\"minLength\":2}},"
     "\"additionalProperties\":false,\"type\":\"object\"}",
     {"{}", "{\"sx\":\"\"}", "{\"sn\":\"ab\"}", "{\"xn\":1}", NULL, "{\"sx\":1}",
      "{\"sn\":\"a\"}", "{\"q\":1}"}},
    {SCHEMA,
     "{\"type\":\"object\",\"minProperties\":2,\"maxProperties\":2,"
     "\"properties\":{\"a\":{},\"b\":{},\"c\":{}},\"additionalProperties\":false}",
     {"{\"a\":1,\"c\":2}", "{\"b\":1,\"c\":2}", NULL, "{\"a\":1}", "{}",
      "{\"a\":1,\"b\":1,\"c\":1}"}},
    {SCHEMA,
     "{\"oneOf\":[{\"multipleOf\":3},{\"multipleOf\":5}],\"type\":\"integer\"}",
     {"3", "5", "9", NULL, "15", "0", "7"}},
    {SCHEMA,
     "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2},\"else\":{\"const\":0}}",
     {"\"ab\"", "0", NULL, "\"a\"", "1", "[]"}},
    {SCHEMA,
     "{\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"v\":{\"const\":1},\"n\":{\"$"
     "ref\":\"#/$defs/n\"}},"
     "\"required\":[\"v\"],\"additionalProperties\":false}},\"$ref\":\"#/$defs/n\"}",
     {"{\"v\":1}", "{\"v\":1,\"n\":{\"v\":1,\"n\":{\"v\":1}}}", NULL, "{\"v\":1,\"n\":{}}",
      "{}"}},
    {SCHEMA,
     "{\"type\":\"array\",\"prefixItems\":[{\"const\":1}],\"items\":{\"const\":2},\"minItems\":"
     "2,\"maxItems\":3}",
     {"[1,2]", "[1,2,2]", NULL, "[1]", "[1,2,2,2]", "[2,2]"}},
    {SCHEMA,
     "{\"type\":\"array\",\"prefixItems\":[{\"maximum\":90},{\"const\":2}],\"minItems\":2,"
     "\"maxItems\":2}",
     {"[1,2]", "[-3,2]", NULL, "[1]", "[91,2]", "[1,2,2]"}},
    {SCHEMA,
     "{\"type\":\"array\",\"items\":{\"enum\":[\"\\n\",0]},\"uniqueItems\":true}",
     {"[\"\\n\"]", "[0,\"\\n\"]", NULL, "[\"\\n\",\"\\n\"]"}},
    {SCHEMA,
     "{\"allOf\":[{\"multipleOf\":101},{\"multipleOf\":10.2},{\"multipleOf\":0.4}],"
     "\"minimum\":1,\"type\":\"integer\"}",
     {"10302", "103020", NULL, "0", "-10302", "5151", "10303", "-0"}},
    {SCHEMA,
     "{\"type\":\"object\",\"not\":{\"properties\":{\"a\":{}},\"patternProperties\":{\"^b\":"
     "{\"const\":1}},\"additionalProperties\":false},\"maxProperties\":2}",
     {"{\"c\":1}", "{\"b\":2}", "{\"a\":1,\"c\":2}", NULL, "{}", "{\"a\":1}", "{\"b\":1}",
      "{\"a\":1,\"bb\":1}", "{\"a\":1,\"c\":1,\"d\":1}"}},
    {SCHEMA,
     "{\"not\":{\"enum\":[[1],{\"k\":[]},5]}}",
     {"[]", "[1,1]", "[2]", "{}", "{\"k\":[0]}", "6", "true", NULL, "[1]", "{\"k\":[]}", "5"}},
    {SCHEMA,
     "{\"not\":{\"oneOf\":[{\"minimum\":2},{\"maximum\":4},{\"const\":9}]},\"type\":"
     "\"integer\"}",
     {"2", "3", "4", "9", NULL, "1", "5", "10"}},
    {SCHEMA,
     "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"const\":1,\"enum\":[1,2]}",
     {"1", "2", NULL, "3"}},
    {SCHEMA, "{\"not\":{\"const\":0},\"type\":\"integer\"}", {"1", "10", NULL, "0", "-0"}},
    {SCHEMA,
     "{\"type\":\"array\",\"contains\":{\"const\":7},\"items\":{\"type\":\"integer\"}}",
     {"[7]", "[1,7,2]", "[7,7]", NULL, "[]", "[1]", "[7,\"x\"]"}},
    {SCHEMA,
     "{\"dependentRequired\":{\"a\":[\"b\"]},\"type\":\"object\"}",
     {"{}", "{\"b\":1}", "{\"a\":1,\"b\":2}", NULL, "{\"a\":1}"}},
    {SCHEMA,
     "{\"format\":\"date\",\"type\":\"string\"}",
     {"\"2024-02-29\"", "\"1999-12-31\"", NULL, "\"2023-02-29\"", "\"1900-02-29\"",
      "\"2024-13-01\""}},
    {SCHEMA,
     "{\"propertyNames\":{\"maxLength\":1},\"type\":\"object\"}",
     {"{}", "{\"a\":1}", NULL, "{\"ab\":1}"}},
    {TAGS,
     "{\"triggers\":[\"<f=\"],\"structures\":["
     "{\"begin\":\"<f=a>\",\"schema\":{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":"
     "\"array\",\"items\":{\"$ref\":\"#/$defs/n\"}}}},\"end\":\"</f>\"},"
     "{\"begin\":\"<f=b>\",\"schema\":{\"enum\":[1,2]},\"end\":\"</f>\"},"
     "{\"begin\":\"<f=c>\",\"end\":\"</f>\"}]}",
     {"", "Well.", "<f", "<<f=b>1</f>", "a<f=a>[[], [[]]]</f>b<f=b>2</f>", "<f=c></f>",
      "<f=c><f=b>\n</f><", NULL, "<f=", "<f=d>", "<f=b>3</f>", "<f=b>1</f", "<f=a>[1]</f>",
      "\xff"}},
    {TAGS,
     "{\"triggers\":[\"<f=\"],\"structures\":["
     "{\"begin\":\"<f=a>\",\"schema\":{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":"
     "\"array\",\"items\":{\"$ref\":\"#/$defs/n\"}}}},\"end\":\"</f>\"},"
     "{\"begin\":\"<f=b>\",\"schema\":{\"enum\":[1,2]},\"end\":\"</f>\"},"
     "{\"begin\":\"<f=c>\",\"end\":\"</f>\"}],\"at_least_one\":true,\"stop_after_first\":true}",
     {"<f=b>1</f>", "So: <f=b>2</f>", NULL, "", "So", "<f=b>1</f>.", "<f=b>1</f><f=b>1</f>"}},
    {TAGS,
     "{\"type\":\"structural_tag\",\"triggers\":[\"<a\",\"<ab\",\"{\"],\"structures\":["
     "{\"begin\":\"<abc>\",\"regex\":\"x+\",\"end\":\".\"},"
     "{\"begin\":\"{\",\"gbnf\":\"root ::= \\\"y\\\" root | \\\"}\\\"\",\"end\":\"\"}]}",
     {"-<abc>xx.", "{yy}{}", "<b", NULL, "<a", "<abx", "{y", "<abc>."}},
    {TAGS,
     "{\"tags\":[{\"begin\":\"<card>\",\"end\":\"</card>\",\"tags\":[{\"begin\":\"<name>\","
     "\"regex\":\"[a-z]+\",\"end\":\"</name>\"},{\"begin\":\"<is>\",\"end\":\"</is>\"}]}]}",
     {"<card><name>ada</name><is>here & there</is></card>",
      "<card><name>ada</name><is></i</is></card>", NULL, "", "<card></card>",
      "<card><name>Ada</name><is></is></card>", "<card><name>ada</name><is></is></card> "}},
};

static void texts_belong_or_not(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fault fault = {""};
        Grammar *g = compiled(cases[i].notation, cases[i].source, NULL, &fault);
        if (!g) fail_msg("%s: refused: %s", cases[i].source, fault.text);
        size_t k = 0;
        if (i == 7) { /* tokens: FF and three bytes */
            static const char tokens[] = "\xff\0\0\7x\xff\0\1\0",
                              wrong[] = "\xff\0\0\7x\xff\0\0\10";
            assert_true(grammar_is_complete(g, grammar_read(g, grammar_begin(g), tokens, 9)));
            assert_false(grammar_is_complete(g, grammar_read(g, grammar_begin(g), wrong, 9)));
            k = 1;
        }
        for (; cases[i].texts[k]; k++)
            if (!holds(g, cases[i].texts[k]))
                fail_msg("%s does not hold '%s'", cases[i].source, cases[i].texts[k]);
        for (k++; cases[i].texts[k]; k++)
            if (holds(g, cases[i].texts[k]))
                fail_msg("%s holds '%s'", cases[i].source, cases[i].texts[k]);
        grammar_close(g);
    }
}

/* A leap second is the last of a UTC day: of all minutes and all offsets of quarters of an hour
 * those are taken that are then, and of times with 59 seconds all. */
static void leap_seconds_end_a_day(void **state) {
    (void)state;
    Fault fault = {""};
    Grammar *g = compiled(SCHEMA, "{\"type\":\"string\",\"format\":\"time\"}", NULL, &fault);
    char text[40];
    int wrong = 0, held = 0;
    assert_non_null(g);
    for (int at = 0; at < 1440; at++)
        for (int offset = -1440 + 15; offset < 1440; offset += 15) {
            const int size = offset < 0 ? -offset : offset;
            const bool last = ((at - offset) % 1440 + 1440) % 1440 == 1439;
            for (int leap = 0; leap < 2; leap++) {
                snprintf(text, sizeof text, "\"%02d:%02d:%s%c%02d:%02d\"", at / 60, at % 60,
                         leap ? "60" : "59.5", offset < 0 ? '-' : '+', size / 60, size % 60);
                wrong += holds(g, text) != (!leap || last), held += leap && last;
            }
        }
    assert_int_equal(wrong, 0);
    assert_int_equal(held, 191);
    assert_true(holds(g, "\"23:59:60Z\"") && holds(g, "\"23:59:60.25z\""));
    assert_true(holds(g, "\"23:59:60-00:00\"") && holds(g, "\"05:29:60.5+05:30\""));
    assert_false(holds(g, "\"23:58:60Z\"") || holds(g, "\"22:59:60Z\""));
    grammar_close(g);
}

/* ------------------------------------------------------------------ refusals */

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        Notation notation;
        const char *source, *words;
    } wrong[] = {
        {GBNF, "root ::= \"a\"\nb ::= c\n", "line 2, column 7: there is no rule 'c'"},
        {GBNF, "a ::= \"x\"", "start rule 'root' is missing"},
        {GBNF, "root ::= \"a\"\nroot ::= \"b\"\n", "line 2, column 5: wanted another name"},
        {GBNF, "root ::= a\na ::= b \"x\"\nb ::= a \"y\" | \"z\"", "left recursion"},
        {GBNF, "root ::= (\"x\"*) root", "left recursion"},
        {GBNF, "root ::= \"a\"{3,2}", "n less than m"},
        {GBNF, "root ::= \"a\"{0,5000}", "more than 2000"},
        {GBNF, "root ::= []", "allows nothing"},
        {GBNF, "root ::= \"a", "wanted a character"},
        {GBNF, "root ::= [z-a]", "ends before it begins"},
        {GBNF, "root ::= \"a\" root", "matches no text"},
        {REGEX, "(a", "without its )"},
        {REGEX, "(a)\\1", "backreferences"},
        {REGEX, "(?<=a)a", "look-behind"},
        {REGEX, "(a\\b)*", "repeated is not supported"},
        {REGEX, "(?=a)b", "matches no text"},
        {REGEX, "a**", "one quantifier behind another"},
        {REGEX, "^*", "cannot be repeated"},
        {REGEX, "[z-a]", "ends before it begins"},
        {SCHEMA, "{\"anyOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":false}",
         "unevaluatedProperties: is not supported where anyOf"},
        {SCHEMA, "{\"properties\":{\"a\":{\"uniqueItems\":true}}}",
         "#/properties/a: uniqueItems"},
        {SCHEMA, "{\"multipleOf\":9999995,\"minimum\":1,\"maximum\":9999994}",
         "can be met takes too long"},
        {SCHEMA, "{\"properties\":{\"a\":{\"required\":true}}}",
         "#/properties/a: required: wanted a list"},
        {SCHEMA, "{\"not\":{\"type\":1,\"type\":2}}", "#/not: a key is written twice"},
        {SCHEMA, "{\"const\":\"\xff\"}", "not UTF-8"},
        {SCHEMA, "{\"$ref\":\"http://x.org/y\"}", "$ref"},
        {SCHEMA, "{\"type\":\"strin\"}", "type"},
        {SCHEMA, "{\"pattern\":\"(?<!a)x\"}", "look-behind"},
        {SCHEMA, "{\"a\":", "JSON, line 1"},
        {TAGS, "[]", "wanted an object with triggers"},
        {TAGS, "{\"structures\":[]}", "triggers: wanted a list"},
        {TAGS, "{\"triggers\":[\"\"]}", "triggers/0: wanted a text that is not empty"},
        {TAGS, "{\"triggers\":[\"a\"],\"structures\":[{\"begin\":\"b\",\"end\":\"c\"}]}",
         "structures/0: begin starts with no trigger"},
        {TAGS,
         "{\"triggers\":[\"abc\",\"b\"],\"structures\":[{\"begin\":\"abcd\",\"end\":\"c\"}]}",
         "trigger 'b' comes first"},
        {TAGS, "{\"tags\":[{\"begin\":\"b\",\"end\":\"\"}]}", "tags/0: any needs an end"},
        {TAGS, "{\"tags\":[{\"begin\":\"b\"}]}", "tags/0: end is missing"},
        {TAGS, "{\"tags\":[{\"begin\":\"b\",\"end\":\"c\",\"json\":{}}]}",
         "'json' is not known"},
        {TAGS, "{\"tags\":[{\"begin\":\"b\",\"end\":\"c\",\"regex\":\"(\"}]}", "tags/0"},
        {TAGS, "{\"tags\":[{\"begin\":\"b\",\"end\":\"c\",\"schema\":{\"uniqueItems\":true}}]}",
         "uniqueItems"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Fault fault = {""};
        Grammar *g = compiled(wrong[i].notation, wrong[i].source, NULL, &fault);
        if (g) fail_msg("%s is taken", wrong[i].source);
        if (!strstr(fault.text, wrong[i].words))
            fail_msg("%s: '%s', wanted '%s'", wrong[i].source, fault.text, wrong[i].words);
    }
}

/* What llama.cpp cannot load is a language all the same. */
static void left_recursion_is_right_when_allowed(void **state) {
    (void)state;
    Fault fault;
    const GrammarOptions options = {.left_recursion = true};
    Grammar *g =
        compiled(GBNF, "root ::= s\ns ::= s \"+\" s | s s | \"\" | \"1\"", &options, &fault);
    assert_non_null(g);
    assert_true(holds(g, "1+1"));
    assert_true(holds(g, ""));
    assert_true(holds(g, "+1++"));
    assert_false(holds(g, "1-1"));
    grammar_close(g);
}

static void hostile_sources_end_soon(void **state) {
    (void)state;
    static char deep[200000];
    Fault fault;
    strcpy(deep, "root ::= ");
    memset(deep + 9, '(', 60000);
    assert_null(compiled(GBNF, deep, NULL, &fault));
    memset(deep, '(', 60000), deep[60000] = 0;
    assert_null(compiled(REGEX, deep, NULL, &fault));
    memset(deep, '[', 60000);
    assert_null(compiled(SCHEMA, deep, NULL, &fault));
    Grammar *g = compiled(REGEX, "x{1,1000000000}", NULL, &fault);
    assert_true(holds(g, "xxxx"));
    assert_false(holds(g, ""));
    grammar_close(g);
    g = compiled(REGEX, "((a+)+)+b|(a|a)*c|(a*)*d", NULL, &fault);
    memset(deep, 'a', 50000), strcpy(deep + 50000, "b");
    assert_true(holds(g, deep));
    deep[50000] = 'x';
    assert_false(holds(g, deep));
    grammar_close(g);
    g = compiled(SCHEMA, "{\"$ref\":\"#\"}", NULL, &fault);
    if (g) grammar_close(g);
}

/* The same situation is the same row: a long list takes no more rows than a short one. */
static void lists_take_few_rows(void **state) {
    (void)state;
    Fault fault;
    Grammar *g = compiled(SCHEMA, "{\"type\":\"array\"}", NULL, &fault);
    uint32_t row = grammar_read(g, grammar_begin(g), "[1,", 3), before = row;
    for (int i = 0; i < 1000; i++) row = grammar_read(g, row, "[2,{\"a\":\"b\"}],", 14);
    assert_int_equal(row, before);
    grammar_close(g);
}

static uint32_t missing(Notation notation, const char *source, const char *text) {
    Fault fault;
    Grammar *g = compiled(notation, source, NULL, &fault);
    uint32_t row = grammar_read(g, grammar_begin(g), text, strlen(text));
    uint32_t found = grammar_missing(g, row);
    grammar_close(g);
    return found;
}

static void the_way_to_the_end_is_known(void **state) {
    (void)state;
    assert_int_equal(missing(REGEX, "a{3}|b{9}", ""), 3);
    assert_int_equal(missing(REGEX, "a{3}|b{9}", "bb"), 7);
    assert_int_equal(missing(REGEX, "a{3}|b{9}", "aaa"), 0);
    const char *nest = "root ::= x\nx ::= \"(\" x \")\" | \"long\" | \"[\" x \"]]\"";
    assert_int_equal(missing(GBNF, nest, ""), 4);
    assert_int_equal(missing(GBNF, nest, "(([l"), 3 + 2 + 1 + 1);
    assert_int_equal(missing(SCHEMA, "{\"type\":\"array\"}", "[[["), 3);
    assert_true(missing(SCHEMA, "{\"type\":\"array\",\"minItems\":999999999}", "[") > 100);
    assert_int_equal(
        missing(SCHEMA,
                "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{\"const\":10}"
                "},\"required\":[\"b\"]}",
                "{"),
        (int)strlen("\"b\":10}"));
}

/* A rule whose only text is the empty one may still be called when nothing can follow. */
static void an_end_is_known_as_one(void **state) {
    (void)state;
    Fault fault;
    Grammar *g = compiled(GBNF, "root ::= \"x\" c+\nc ::=", NULL, &fault);
    assert_non_null(g);
    assert_false(grammar_is_over(g, grammar_begin(g)));
    assert_true(grammar_is_over(g, grammar_read(g, grammar_begin(g), "x", 1)));
    assert_false(grammar_is_over(g, GRAMMAR_DEAD));
    grammar_close(g);
}

/* No object has a key that must be there and may not. */
static void what_cannot_be_completed_is_not_begun(void **state) {
    (void)state;
    Fault fault;
    Grammar *g =
        compiled(SCHEMA, "{\"required\":[\"a\"],\"additionalProperties\":false}", NULL, &fault);
    assert_non_null(g);
    assert_int_equal(grammar_read(g, grammar_begin(g), "{", 1), GRAMMAR_DEAD);
    assert_true(holds(g, "7"));
    grammar_close(g);
    g = compiled(SCHEMA,
                 "{\"prefixItems\":[true,false],\"contains\":{\"const\":1},"
                 "\"required\":[\"a\",\"b\"],\"maxProperties\":1}",
                 NULL, &fault);
    assert_non_null(g);
    assert_int_equal(grammar_read(g, grammar_begin(g), "{", 1), GRAMMAR_DEAD);
    assert_int_equal(grammar_read(g, grammar_begin(g), "[2", 2), GRAMMAR_DEAD);
    assert_true(holds(g, "[1]"));
    grammar_close(g);
}

static void rules_that_can_begin_are_named(void **state) {
    (void)state;
    Fault fault;
    const char *names[4];
    Grammar *g = compiled(GBNF, "root ::= \"(\" a \")\"\na ::= b \"x\" | \"y\"\nb ::= \"z\" a?",
                          NULL, &fault);
    uint32_t row = grammar_begin(g);
    assert_int_equal(grammar_begins(g, row, names, 4), 0);
    row = grammar_read(g, row, "(", 1);
    assert_int_equal(grammar_begins(g, row, names, 1), 1);
    assert_int_equal(grammar_begins(g, row, names, 4), 2);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    assert_int_equal(grammar_size(g).rules, 3);
    grammar_close(g);
}

/* ------------------------------------------------------------------ tokens */

static Tokenizer *storyteller_words(void) {
    FileMap map;
    Gguf gguf;
    Fault fault;
    assert_true(file_open(&map, "layer5_models/models/storyteller.gguf", &fault) ||
                file_open(&map, "../layer5_models/models/storyteller.gguf", &fault));
    assert_true(gguf_parse(&gguf, map.data, map.size, &fault));
    Tokenizer *words = tokenizer_open(&gguf, &fault);
    gguf_free(&gguf), file_close(&map);
    assert_non_null(words);
    return words;
}

/* A random grammar in GBNF, from letters that the vocabulary likes. */
static void random_grammar(char *out, uint64_t seed) {
    static const char *const atoms[] = {"\"a\"",   "\"th\"", "\"e \"", "[a-e]",   "[^aeiou]",
                                        "\" \"",   "[ -~]",  "r0",     "r1",      "r2",
                                        "\"the\"", "[st]",   ".",      "\"\\n\"", "\"\""};
    static const char *const ends[] = {"", "", "", "*", "+", "?", "{1,3}", "{2}"};
    uint64_t n = 0;
    out += sprintf(out, "root ::= r0 r1 | r2\n");
    for (int rule = 0; rule < 3; rule++) {
        out += sprintf(out, "r%d ::= ", rule);
        for (uint64_t alternative = 0, more = 1 + rng_hash(seed, 1, n++) % 3;
             alternative < more; alternative++) {
            if (alternative) out += sprintf(out, " | ");
            for (uint64_t i = 0, items = 1 + rng_hash(seed, 2, n++) % 3; i < items; i++)
                out += sprintf(out, "%s%s ", atoms[rng_hash(seed, 3, n) % 15],
                               ends[rng_hash(seed, 4, n) % 8]),
                    n++;
        }
        out += sprintf(out, "\n");
    }
}

static size_t check_mask(Grammar *g, uint32_t row, size_t vocab, const char *source) {
    size_t words, allowed = 0;
    const uint64_t *mask = grammar_mask(g, row, &words);
    for (size_t id = 0; id < vocab; id++) {
        bool bit = mask[id / 64] >> (id % 64) & 1;
        bool takes = grammar_take(g, row, (int32_t)id) != GRAMMAR_DEAD;
        if (bit != takes)
            fail_msg("token %zu: mask %d, take %d, in\n%s", id, bit, takes, source);
        allowed += bit;
    }
    return allowed;
}

static void masks_are_what_a_search_finds(void **state) {
    (void)state;
    Tokenizer *words = storyteller_words();
    size_t vocab = tokenizer_count(words), tried = 0;
    const GrammarOptions options = {.left_recursion = true};
    for (uint64_t seed = 0; seed < 80; seed++) {
        char source[2000];
        Fault fault;
        random_grammar(source, seed);
        Grammar *g = compiled(GBNF, source, &options, &fault);
        if (!g) continue;
        assert_true(grammar_bind(g, words, &fault));
        uint32_t row = grammar_begin(g);
        for (uint64_t step = 0; step < 5 && row != GRAMMAR_DEAD; step++, tried++) {
            size_t words_of_mask;
            grammar_mask(g, row, &words_of_mask);
            if (grammar_is_exhausted(g)) break; /* ambiguous: too much for one mask */
            size_t allowed = check_mask(g, row, vocab, source);
            if (allowed == 0) fail_msg("a row without a way on, in\n%s", source);
            uint64_t wanted = rng_hash(seed, step, 9) % allowed;
            int32_t id = 0;
            for (;; id++)
                if (grammar_take(g, row, id) != GRAMMAR_DEAD && wanted-- == 0) break;
            if (tokenizer_is_end(words, id)) break;
            row = grammar_take(g, row, id);
        }
        grammar_close(g);
    }
    assert_true(tried > 100);
    tokenizer_close(words);
}

/* Walk along random tokens of a grammar, checking every mask; returns how many were. */
static size_t check_walk(Grammar *g, const Tokenizer *words, uint64_t seed,
                         const char *source) {
    uint32_t row = grammar_begin(g);
    size_t vocab = tokenizer_count(words), tried = 0;
    for (uint64_t step = 0; step < 12 && row != GRAMMAR_DEAD; step++, tried++) {
        size_t allowed = check_mask(g, row, vocab, source);
        if (allowed == 0) break; /* a vocabulary may lack bytes */
        uint64_t wanted = rng_hash(seed, step, 9) % allowed;
        int32_t id = 0;
        for (;; id++)
            if (grammar_take(g, row, id) != GRAMMAR_DEAD && wanted-- == 0) break;
        if (tokenizer_is_end(words, id)) break;
        row = grammar_take(g, row, id);
    }
    return tried;
}

/* Loops: with limits, that end in what may begin them, in escapes, ambiguous, nearly loops. */
static const struct {
    Notation notation;
    const char *source;
} loops[] = {
    {GBNF, "root ::= [a-z ]* \".\""},
    {GBNF, "root ::= [a-z ]{0,3} \".\""},
    {GBNF, "root ::= [a-z ]{4,6} \"!\" [a-z ]{2} \".\""},
    {GBNF, "root ::= [a-z ]{2,} [a-z]"},
    {GBNF, "root ::= ([a-z ] | [a-z ] \"e\"){2,5} \".\""},
    {GBNF, "root ::= ([a-z ] \"e\"?){2,5} \".\""},
    {GBNF, "root ::= ([^t.,] \"t\"?){2,5} \".\""},
    {GBNF, "root ::= [a-z ]{3,9} tail\ntail ::= \", \" root | \".\""},
    {GBNF, "root ::= ([a-m ] [n-z ]){1,3} \"a\""},
    {GBNF, "root ::= [^\"\\\\]{0,9} \"\\\"\""},
    {GBNF, "root ::= ([^\"\\\\] | \"\\\\\" [nt\"])* \"\\\\\\\\\""},
    {SCHEMA, "{\"type\":\"string\",\"maxLength\":3}"},
    {SCHEMA, "{\"type\":\"string\",\"minLength\":2,\"maxLength\":9}"},
    {SCHEMA, "{\"type\":\"string\",\"minLength\":3}"},
    {SCHEMA, "{\"type\":\"string\",\"pattern\":\"^[a-z ]{2,12}$\"}"},
    {SCHEMA, "{\"type\":\"string\",\"pattern\":\"the\",\"maxLength\":30}"},
    {SCHEMA, "{\"type\":\"string\",\"not\":{\"enum\":[\"the\",\"then \",\"\"]}}"},
    {SCHEMA, "{\"properties\":{\"he\":{\"type\":\"null\"},\"the\":{}},\"type\":\"object\"}"},
    {SCHEMA, "{\"type\":\"object\"}"},
    {SCHEMA, "{\"type\":\"integer\",\"minimum\":3,\"maximum\":1234}"},
    {REGEX, "[a-z ]{2,5}|the .*end"},
    {REGEX, "[a-z0-9_]{1,40}@[A-Za-z.]+"},
    {REGEX, "[A-Za-z][a-z ]*[0-9]{2}|\\w{3}[a-e]*"},
    {SCHEMA, "{\"type\":\"string\",\"format\":\"email\"}"},
    {SCHEMA, "{\"type\":\"string\",\"format\":\"uri\",\"maxLength\":9}"},
    {GBNF, "root ::= word (\" \" word)* \"!\"\nword ::= [a-z]+ | [a-f]{3}"},
    {TAGS,
     "{\"triggers\":[\"th\",\"e,\"],\"structures\":[{\"begin\":\"the\",\"regex\":\"[a-z]*\","
     "\"end\":\",\"},{\"begin\":\"e,\",\"end\":\"\\\"\"}]}"},
};
enum { LOOP_CASES = sizeof loops / sizeof *loops };

/* 800 short tokens in which quotes, escapes and letters meet. */
static Tokenizer *escaped_words(void) {
    enum { TOKENS = 800 };
    static const char letters[] = "ath\"\\u0061,}.e";
    static char texts[TOKENS][6];
    Text names[TOKENS];
    for (uint64_t i = 0; i < TOKENS; i++) {
        const size_t size = 1 + rng_hash(1, i, 0) % 5;
        for (size_t k = 0; k < size; k++) texts[i][k] = letters[rng_hash(2, i, k) % 14];
        names[i] = (Text){texts[i], size};
    }
    names[0] = text_of("<|endoftext|>");
    GgufWriter *w = words_file("gpt2", names, TOKENS);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 0);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 0);
    return opened(w);
}

/* All bound to one vocabulary, whose walks they share. */
static void check_loops(Tokenizer *words, uint64_t seeds) {
    size_t tried = 0;
    for (uint64_t seed = 0; seed < seeds; seed++)
        for (size_t i = 0; i < LOOP_CASES; i++) {
            Fault fault = {""};
            Grammar *g = compiled(loops[i].notation, loops[i].source, NULL, &fault);
            if (!g) fail_msg("%s: refused: %s", loops[i].source, fault.text);
            assert_true(grammar_bind(g, words, &fault));
            tried += check_walk(g, words, seed * LOOP_CASES + i, loops[i].source);
            grammar_close(g);
        }
    assert_true(tried > 50 * seeds);
    tokenizer_close(words);
}

static void masks_of_loops_are_what_a_search_finds(void **state) {
    (void)state;
    check_loops(storyteller_words(), 4);
    check_loops(escaped_words(), 40);
}

/* What leaves no choice is found, up to where a longer token may come. */
static void forced_tokens_spell_the_only_way(void **state) {
    (void)state;
    Tokenizer *words = storyteller_words();
    Fault fault;
    int32_t ids[24];
    char text[200];
    Grammar *g =
        compiled(GBNF, "root ::= \"Once upon a time\" (\" there was\" | \"!\")", NULL, &fault);
    assert_true(grammar_bind(g, words, &fault));
    size_t n = grammar_forced(g, grammar_begin(g), ids, 24), size = 0;
    assert_in_range(n, 1, 16);
    for (size_t i = 0; i < n; i++) {
        Text piece = tokenizer_piece(words, ids[i], false);
        memcpy(text + size, piece.data, piece.size), size += piece.size;
    }
    assert_memory_equal(text, "Once upon a time", size);
    assert_int_equal(grammar_forced(g, grammar_begin(g), ids, 1), 1);
    uint32_t branch = grammar_read(g, grammar_begin(g), "Once upon a time", 16);
    assert_int_equal(grammar_forced(g, branch, ids, 24), 0);
    assert_int_equal(grammar_forced(g, GRAMMAR_DEAD, ids, 24), 0);
    grammar_close(g);
    tokenizer_close(words);
}

/* ------------------------------------------------------------------ texts of a model */

typedef struct Teller {
    FileMap map;
    Model model;
    Session session;
} Teller;

static void open_teller(Teller *t) {
    Fault fault;
    assert_true(file_open(&t->map, "layer5_models/models/storyteller.gguf", &fault) ||
                file_open(&t->map, "../layer5_models/models/storyteller.gguf", &fault));
    assert_true(model_open_memory(&t->model, t->map.data, t->map.size, &fault));
    const SessionConfig config = {.sequences = 1, .max_tokens = 32, .max_logits = 32};
    assert_true(session_open(&t->session, &t->model, NULL, config, &fault));
}

static void close_teller(Teller *t) {
    session_close(&t->session), model_close(&t->model), file_close(&t->map);
}

static void tell(Teller *t, const char *spec, Speculation *speculation, uint64_t seed,
                 TokenList *tokens) {
    Chain chain;
    Fault fault;
    GenerateResult result;
    if (!chain_parse(&chain, spec, t->model.tokenizer, &fault)) fail_msg("%s", fault.text);
    GenerateOptions o = {.chain = &chain, .seed = seed, .limits.max_tokens = 60};
    if (speculation) with_draft(&o, speculation);
    tokens->count = 0;
    assert_true(
        tokenizer_encode(t->model.tokenizer, text_of("Once upon"), false, tokens, &fault));
    if (!generate(&t->session, tokens, &o, &result, &fault)) fail_msg("%s", fault.text);
    chain_close(&chain);
}

/* The model may spell what is forced in its own way: what it does not choose is rolled back. */
static void forced_tokens_change_no_story(void **state) {
    (void)state;
    static const char *const specs[] = {
        "regex:[ a-z]{1%2C3}( unhappily ever after| wonderfully)[.] The .{3} was "
        "lost[.],temp:2,draw",
        "json_schema:{\"type\"%3A\"object\"%2C\"properties\"%3A{\"wonderful\"%3A{\"enum\"%3A["
        "\"butterflies"
        "\"%2C\"unhappy\"]}}%2C\"required\"%3A[\"wonderful\"]},temp:2,draw",
    };
    Teller t = {0};
    TokenList plain = {0}, forced = {0};
    size_t accepted = 0, refused = 0;
    open_teller(&t);
    for (size_t c = 0; c < 2; c++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            Speculation s = {.kind = &draft_forced, .length = SPECULATE_MAX};
            tell(&t, specs[c], NULL, seed, &plain);
            tell(&t, specs[c], &s, seed, &forced);
            assert_int_equal(plain.count, forced.count);
            assert_memory_equal(plain.ids, forced.ids, plain.count * sizeof *plain.ids);
            accepted += s.accepted, refused += s.drafted - s.accepted;
        }
    if (accepted < 20 || refused < 20) fail_msg("%zu accepted, %zu refused", accepted, refused);
    token_list_free(&plain), token_list_free(&forced);
    close_teller(&t);
}

/* The same text is compiled once for a vocabulary, for any number of requests; other texts and
 * options are others; and when more were requested than are kept, the first is compiled
 * again. */
static void a_grammar_is_compiled_once(void **state) {
    (void)state;
    static const char *const specs[] = {"regex:a[0-9]%2B", "regex:b", "json:space=1",
                                        "json:space=2", "choice:b"};
    enum { SPECS = sizeof specs / sizeof *specs };
    Tokenizer *words = storyteller_words();
    const void *first[SPECS];
    Chain chain, copy, last;
    Fault fault;
    for (size_t round = 0; round < 20; round++)
        for (size_t i = 0; i < SPECS; i++) {
            assert_true(chain_parse(&chain, specs[i], words, &fault));
            if (round == 0) first[i] = chain.stages[0].object;
            assert_ptr_equal(chain.stages[0].object, first[i]);
            for (size_t k = 0; k < i; k++) assert_ptr_not_equal(first[i], first[k]);
            chain_copy(&copy, &chain);
            chain_close(&chain), chain_close(&copy);
        }
    assert_true(chain_parse(&last, specs[0], words, &fault));
    for (int i = 0; i < 40; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "regex:x%d", i);
        assert_true(chain_parse(&chain, spec, words, &fault));
        chain_close(&chain);
    }
    assert_true(chain_parse(&chain, specs[0], words, &fault));
    assert_ptr_not_equal(chain.stages[0].object, last.stages[0].object);
    chain_close(&chain), chain_close(&last);
    assert_false(chain_parse(&chain, "regex:(", words, &fault));
    tokenizer_close(words);
}

/* A chain with a grammar: copies go on alike, a rewind forgets. */
static void stages_remember_rows(void **state) {
    (void)state;
    Tokenizer *words = storyteller_words();
    Chain chain, copy;
    Fault fault;
    Arena arena;
    Candidates candidates;
    float *logits = calloc(tokenizer_count(words), sizeof *logits);
    const Step step = {.tokenizer = words};
    int32_t first, second, again;
    assert_true(candidates_open(&candidates, tokenizer_count(words), &arena, &fault));
    assert_true(chain_parse(&chain, "regex:(cat|dog)[0-9],greedy", words, &fault));
    assert_true(candidates_load(&candidates, logits, &fault));
    assert_true(chain_run(&chain, &candidates, &step, &first, &fault));
    chain_accept(&chain, first);
    chain_copy(&copy, &chain);
    memset(logits, 0, tokenizer_count(words) * sizeof *logits);
    assert_true(candidates_load(&candidates, logits, &fault));
    assert_true(chain_run(&chain, &candidates, &step, &second, &fault));
    memset(logits, 0, tokenizer_count(words) * sizeof *logits);
    assert_true(candidates_load(&candidates, logits, &fault));
    chain_close(&chain);
    assert_true(chain_run(&copy, &candidates, &step, &again, &fault));
    assert_int_equal(second, again);
    chain_rewind(&copy, 1);
    memset(logits, 0, tokenizer_count(words) * sizeof *logits);
    assert_true(candidates_load(&candidates, logits, &fault));
    assert_true(chain_run(&copy, &candidates, &step, &again, &fault));
    assert_int_equal(first, again);
    chain_close(&copy);
    free(logits), arena_free(&arena);
    tokenizer_close(words);
}

/* The watch is asked once, and the compiler stops long before its own limit. */
static bool is_gone(void *calls) { return ++*(int *)calls > 0; }

static void test_watch(void **state) {
    (void)state;
    const GrammarOptions options = {0};
    Text schema = text_of("{\"type\": \"string\", \"pattern\": \"^([ab]*a[ab]{30}c)*$\", "
                          "\"minLength\": 5000, \"maxLength\": 5001}");
    Grammar *g = NULL;
    Fault fault;
    int calls = 0;
    assert_false(grammar_from_schema(&g, schema, &options, &fault));
    assert_non_null(strstr(fault.text, "too long"));
    grammar_watch(is_gone, &calls);
    assert_false(grammar_from_schema(&g, schema, &options, &fault));
    grammar_watch(NULL, NULL);
    assert_int_equal(calls, 1);
}

/* A text that holds none of "a..b" with 10 to 29 characters between: 2^30 states. */
static void a_mask_has_a_limit_of_its_own(void **state) {
    (void)state;
    const GrammarOptions options = {0};
    char schema[2000] = "{\"type\": \"string\", \"allOf\": [true";
    for (int i = 10; i < 30; i++)
        sprintf(schema + strlen(schema), ", {\"not\": {\"pattern\": \"a.{%d}b\"}}", i);
    strcat(schema, "]}");
    Tokenizer *words = storyteller_words();
    Fault fault;
    size_t words_of_mask;
    Grammar *g = NULL;
    assert_true(grammar_from_schema(&g, text_of(schema), &options, &fault));
    assert_true(grammar_bind(g, words, &fault));
    size_t before = grammar_size(g).steps;
    assert_string_equal(grammar_exceeded(g), "");
    for (uint32_t row = grammar_begin(g); !grammar_is_exhausted(g);) {
        before = grammar_size(g).steps;
        grammar_mask(g, row, &words_of_mask);
        row = grammar_next(g, row, row == grammar_begin(g) ? '"' : 'a');
        assert_true(row != GRAMMAR_DEAD || grammar_is_exhausted(g));
    }
    assert_true(grammar_size(g).steps - before < 600000);
    assert_non_null(strstr(grammar_exceeded(g), "500,000 steps of work for one token"));
    grammar_close(g);
    tokenizer_close(words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_belong_or_not),
        cmocka_unit_test(leap_seconds_end_a_day),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(left_recursion_is_right_when_allowed),
        cmocka_unit_test(hostile_sources_end_soon),
        cmocka_unit_test(lists_take_few_rows),
        cmocka_unit_test(the_way_to_the_end_is_known),
        cmocka_unit_test(an_end_is_known_as_one),
        cmocka_unit_test(what_cannot_be_completed_is_not_begun),
        cmocka_unit_test(rules_that_can_begin_are_named),
        cmocka_unit_test(masks_are_what_a_search_finds),
        cmocka_unit_test(masks_of_loops_are_what_a_search_finds),
        cmocka_unit_test(forced_tokens_spell_the_only_way),
        cmocka_unit_test(forced_tokens_change_no_story),
        cmocka_unit_test(a_grammar_is_compiled_once),
        cmocka_unit_test(stages_remember_rows),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(a_mask_has_a_limit_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
