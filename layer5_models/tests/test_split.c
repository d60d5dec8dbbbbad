/* cutting text into words: characters and their classes, the rules by name */
#include "check.h"
#include "models.h"
#include "unicode.h"
#include "../extras/tokenizers/llama_style.h"
#include "tokenizers.h"
#include "unicode_case.h"

static void utf8_and_categories(void **state) {
    (void)state;
    size_t taken;
    char out[4];
    for (uint32_t code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 97) {
        if (code >= 0xD800 && code < 0xE000) continue;
        size_t size = utf8_encode(code, out);
        assert_int_equal(utf8_length((unsigned char)out[0]), size);
        assert_int_equal(utf8_decode(out, size, &taken), code);
        assert_int_equal(taken, size);
    }
    assert_int_equal(utf8_decode("\xC0\x80", 2, &taken), 0xFFFD);
    assert_int_equal(utf8_decode("\xED\xA0\x80", 3, &taken), 0xFFFD);
    assert_int_equal(utf8_decode("\xE2\x82", 2, &taken), 0xFFFD);
    assert_int_equal(taken, 1);
    static const struct {
        uint32_t code;
        UnicodeCategory category;
    } known[] = {
        {'a', UNICODE_LL},        {'Z', UNICODE_LU},         {'7', UNICODE_ND},
        {' ', UNICODE_SEPARATOR}, {'\n', UNICODE_CONTROL},   {'!', UNICODE_PUNCTUATION},
        {0xE9, UNICODE_LL},       {0x416, UNICODE_LU},       {0x4E2D, UNICODE_LO},
        {0xBD, UNICODE_NO},       {0x2167, UNICODE_NL},      {0x3000, UNICODE_SEPARATOR},
        {0x1C5, UNICODE_LT},      {0x1F600, UNICODE_SYMBOL}, {0x301, UNICODE_MARK},
        {0x20AC, UNICODE_SYMBOL}, {0x2B0, UNICODE_LM},       {0x378, UNICODE_OTHER},
        {0x10FFFF, UNICODE_OTHER}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(unicode_category(known[i].code), known[i].category);
    uint32_t next = 0;
    for (size_t row = 0; row < unicode_range_count(); row++) {
        UnicodeRange range = unicode_range(row);
        assert_int_equal(range.first, next);
        assert_int_equal(unicode_category(range.first), range.category);
        assert_int_equal(unicode_category(range.last), range.category);
        next = range.last + 1;
    }
    assert_int_equal(next, 0x110000);
    size_t spaces = 0;
    for (uint32_t code = 0; code < 0x110000; code++) spaces += unicode_is_space(code);
    assert_int_equal(spaces, 25); /* White_Space has 25 */
    assert_int_equal(unicode_lower(0x416), 0x436);
    assert_int_equal(unicode_lower(0x100), 0x101);
    assert_int_equal(unicode_lower(0x101), 0x101);
    assert_int_equal(unicode_lower(0x130), 'i');
    assert_int_equal(unicode_base(0xE9), 'e');
    assert_int_equal(unicode_base(0x1EA5), 'a');
    assert_int_equal(unicode_base(0x4E2D), 0x4E2D);
}

static void bytes_are_written_as_characters_and_back(void **state) {
    (void)state;
    size_t found = 0;
    for (int b = 0; b < 256; b++)
        assert_int_equal(visible_to_byte(byte_to_visible((unsigned char)b)), b);
    for (uint32_t code = 0; code < 0x3000; code++) found += visible_to_byte(code) >= 0;
    assert_int_equal(found, 256);
    assert_int_equal(hex_byte(text_of("<0x0A>")), 10);
    assert_int_equal(hex_byte(text_of("<0xFF>")), 255);
    assert_int_equal(hex_byte(text_of("<0xG0>")), -1);
    assert_int_equal(hex_byte(text_of("<0x0A")), -1);
}

/* words joined by | */
static void check_split_as(const char *rule_name, bool as_llama, const char *text,
                           const char *want) {
    char got[400] = "";
    Splitter splitter;
    PreTokenizer pre = {0};
    Cut cut;
    Fault fault;
    bool end;
    const PreRule *rule = pre_rule_by_name(text_of(rule_name));
    assert_non_null(rule);
    if (!(as_llama ? llama_style.split(&splitter, rule, &fault)
                   : splitter_open(&splitter, rule->stages, &word_notation, &fault)))
        fail_msg("%s", fault.text);
    pre_begin(&pre, &splitter, text_of(text));
    for (size_t n = 0; pre_next(&pre, &cut, &end, &fault) && !end; n++) {
        strcat(got, n ? "|" : "");
        strncat(got, cut.word.data, cut.word.size);
    }
    assert_string_equal(got, want);
    pre_free(&pre), splitter_close(&splitter);
}

static void check_split(const char *rule, const char *text, const char *want) {
    check_split_as(rule, false, text, want);
}

static void words_are_cut_as_the_rules_say(void **state) {
    (void)state;
    check_split("gpt-2", "Hello  world, it's 123's  ", "Hello| | world|,| it|'s| 123|'s|  ");
    check_split("gpt-2", "a\n\nb \n c", "a|\n|\n|b| \n| c");
    check_split("gpt-2", "I'LL don't ...x\t\ty", "I|'|LL| don|'t| ...|x|\t|\t|y");
    check_split("gpt-2", "\xC3\xA9t\xC3\xA9 \xE4\xB8\xAD 5\xC2\xBD",
                "\xC3\xA9t\xC3\xA9| \xE4\xB8\xAD| 5\xC2\xBD");
    check_split("llama-bpe", "I'LL say 12345 (hi)\n\n  x",
                "I|'LL| say| |123|45| (|hi|)\n\n| | x");
    check_split("qwen2", "a 12 \n\n b", "a| |1|2| \n\n| b");
    check_split("tekken", "HelloWorld ABC ABCd it's 12", "Hello|World| ABC| ABCd| it|'s| |1|2");
    check_split("gpt-2", "'", "'");
    /* "default" is what a file without a rule has, and is not GPT-2's */
    check_split("default", "1234 12345", "123|4| |123|45");
    check_split("default", "don't  (x) $5.00  7", "don|'|t|  |(|x|)| |$|5|.|00| | |7");
    check_split("default", "a`b ~~\xC2\xBD\xC2\xBD 1\xC2\xBD\x32\x33\x34",
                "a|`|b| |~~|\xC2\xBD\xC2\xBD| |1\xC2\xBD|234");
    check_split("falcon", "1234 12345 don't` 5", "123|4| |123|45| don|'|t|`| 5");
    check_split("starcoder", "v12  34 it's\n5", "v|1|2|  |3|4| it|'s|\n|5");
    check_split("smollm", "12", "1|2");
    check_split("gpt-4o", "camelCase IT'S 1234", "camel|Case| IT'S| |123|4");
    check_split("qwen35", "a\xCC\x81\x62 1", "a\xCC\x81\x62| |1");
    check_split("bloom", "one, two", "one|,| two");
    check_split("deepseek-v3", "x=1234 ~~~", "x|=|123|4| ~~~");
    check_split("deepseek-llm", "ab \n  c   ", "ab| |\n| | c|   ");
    check_split("superbpe", "a 1234567", "a |1|234|567");
    check_split("afmoe", "1234567 a", "1|234|567| a");
    check_split("tiny_aya", "1234567x 1234", "123|456|7|x| |1|234");
    check_split("jais-2", "a       b", "a|    |  | b");
    check_split("gemma4", "a b\n\nc", "a b|\n\n|c");
    check_split("chameleon", "<sentinel:12>IMGIMGABZ  7", "<|sentinel|:|1|2|>|IMGIMGABZ|  |7");
    check_split("kimi-k2",
                "\xE4\xB8\xAD\xE4\xB8\xAD"
                "aB",
                "\xE4\xB8\xAD\xE4\xB8\xAD|a|B");
    /* as llama.cpp: all letters above 127 are upper and lower case, marks are none */
    check_split("gpt-4o", "NA\xC3\x8FVE", "NA\xC3\x8FVE");
    check_split_as("gpt-4o", true, "NA\xC3\x8FVE", "NA\xC3\x8F|VE");
    check_split_as("deepseek-v3", true, "~~~!", "~~~|!");
    check_split_as("kimi-k2", true, "camelCase", "camelCase");
    check_split_as("gpt-2", true, "it's", "it|'s");
    assert_true(pre_rule_by_name(text_of("falcon3"))->ignore_merges);
    assert_false(pre_rule_by_name(text_of("dbrx"))->ignore_merges);
    assert_null(pre_rule_by_name(text_of("nothing")));
    size_t names = 0;
    for (const PreRule *rule = pre_rules; rule->names; rule++)
        for (const char *const *name = rule->names; *name; name++, names++)
            assert_ptr_equal(pre_rule_by_name(text_of(*name)), rule); /* once */
    assert_int_equal(names, 84);
}

/* Scanning to the end of a run for each word of it would take hours. */
static void long_runs_take_no_longer_than_short_ones(void **state) {
    static const char *const runs[] = {"1",   "12\xC2\xBD", " 1", "a",    "aB", "B",  " ",
                                       " \n", "\n",         "!",  "\xFF", "'",  "'s", " !\t"};
    enum { SIZE = 1 << 17 };
    char *text = malloc(SIZE);
    (void)state;
    double start = clock_seconds();
    for (const PreRule *rule = pre_rules; rule->names; rule++) {
        Splitter splitter;
        PreTokenizer pre = {0};
        assert_true(splitter_open(&splitter, rule->stages, &word_notation, NULL));
        for (size_t k = 0; k < 14; k++) {
            for (size_t i = 0; i < SIZE - 1; i++) text[i] = runs[k][i % strlen(runs[k])];
            text[SIZE - 1] = 'x';
            size_t size = 0;
            bool end = false;
            Cut cut;
            pre_begin(&pre, &splitter, (Text){text, SIZE});
            while (pre_next(&pre, &cut, &end, NULL) && !end) {
                assert_ptr_equal(cut.word.data, text + size); /* nothing is left out */
                size += cut.word.size;
            }
            assert_int_equal(size, SIZE);
        }
        pre_free(&pre), splitter_close(&splitter);
    }
    assert_true(clock_seconds() - start < 60);
    free(text);
}

/* `text` with each "from" as "to". */
static char *spelled(const char *text, const char *from, const char *to) {
    char *out = calloc(1, 2 * strlen(text) + 1), *at = out;
    while (*text)
        if (strncmp(text, from, strlen(from)) == 0)
            at = stpcpy(at, to), text += strlen(from);
        else
            *at++ = *text++;
    return out;
}

/* A rule is found by what its patterns mean, however they are spelled; one letter more in a
 * class is another rule. */
static void a_rule_has_one_name_in_every_spelling(void **state) {
    static const char *const spellings[][2] = {{"\\n", "\n"}, {"\\r", "\r"}, {"\\t", "\t"}};
    (void)state;
    for (const PreRule *rule = pre_rules; rule->names; rule++) {
        Text same[MAX_STAGES], other[MAX_STAGES];
        size_t count = 0;
        for (; !rule->encode && count < MAX_STAGES && rule->stages[count]; count++) {
            const char *stage = rule->stages[count];
            char *copy = strdup(stage);
            for (size_t i = 0; i < 3; i++) {
                char *next = spelled(copy, spellings[i][0], spellings[i][1]);
                free(copy), copy = next;
            }
            same[count] = text_of(copy);
            other[count] = text_of(spelled(stage, "\\p{N}", "[\\p{N}Q]"));
        }
        if (count == 0) continue;
        const char *name = tokenizer_rule_name(same, count, rule->ignore_merges);
        assert_non_null(name);
        assert_ptr_equal(pre_rule_by_name(text_of(name)), rule);
        if (strstr(rule->stages[0], "\\p{N}"))
            assert_null(tokenizer_rule_name(other, count, rule->ignore_merges));
        for (size_t i = 0; i < count; i++)
            free((char *)same[i].data), free((char *)other[i].data);
    }
}

RUN(TEST(utf8_and_categories), TEST(a_rule_has_one_name_in_every_spelling),
    TEST(bytes_are_written_as_characters_and_back), TEST(words_are_cut_as_the_rules_say),
    TEST(long_runs_take_no_longer_than_short_ones))
