/* cutting text into words: characters and their classes, the rules by name */
#include "check.h"
#include "models.h"
#include "unicode.h"
#include "../src/tokenizer/vocab.h"

typedef struct UnicodeRange {
    uint32_t first, last;
    UnicodeClass kind;
} UnicodeRange;

#include "../src/tokenizer/unicode_table.h"

static void utf8_and_classes(void **state) {
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
        UnicodeClass kind;
    } known[] = {{'a', UNICODE_LETTER},  {'Z', UNICODE_LETTER},    {'7', UNICODE_NUMBER},
                 {' ', UNICODE_SPACE},   {'\n', UNICODE_SPACE},    {'!', UNICODE_PUNCTUATION},
                 {0xE9, UNICODE_LETTER}, {0x416, UNICODE_LETTER},  {0x4E2D, UNICODE_LETTER},
                 {0xBD, UNICODE_NUMBER}, {0x2167, UNICODE_NUMBER}, {0x3000, UNICODE_SPACE},
                 {0xA0, UNICODE_SPACE},  {0x1F600, UNICODE_OTHER}, {0x301, UNICODE_OTHER},
                 {0x20AC, UNICODE_OTHER}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(unicode_class(known[i].code), known[i].kind);
    size_t rows = sizeof unicode_ranges / sizeof *unicode_ranges, row = 0;
    for (uint32_t code = 0; code < 0x110000; code++) {
        while (row < rows && unicode_ranges[row].last < code) row++;
        bool inside = row < rows && unicode_ranges[row].first <= code;
        assert_int_equal(unicode_class(code),
                         inside ? unicode_ranges[row].kind : UNICODE_OTHER);
    }
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
static void check_split(const char *rule_name, const char *text, const char *want) {
    char got[400] = "";
    const PreRule *pre = pre_rule_by_name(text_of(rule_name));
    assert_non_null(pre);
    for (size_t at = 0, size = strlen(text); at < size;) {
        size_t n = split_word(pre->split, text + at, size - at);
        assert_true(n > 0);
        strcat(got, at ? "|" : "");
        strncat(got, text + at, n);
        at += n;
    }
    assert_string_equal(got, want);
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
    assert_true(pre_rule_by_name(text_of("falcon3"))->ignore_merges);
    assert_false(pre_rule_by_name(text_of("dbrx"))->ignore_merges);
    assert_null(pre_rule_by_name(text_of("nothing")));
    assert_null(pre_rule_by_name(text_of("gpt-4o")));
}

/* The same rules as llama.cpp has them: one pattern after the other, each on the pieces that the
 * one before has left.  cut[i]: a piece begins at byte i. */
typedef struct Stages {
    Text text;
    bool cut[300];
} Stages;

static size_t piece_end(const Stages *s, size_t at) {
    do at++;
    while (at < s->text.size && !s->cut[at]);
    return at;
}

static bool punctuation(uint32_t code, bool tick) {
    return unicode_class(code) == UNICODE_PUNCTUATION ||
           (code && code < 128 && strchr("$+<=>^~|", (int)code)) || (tick && code == '`');
}

/* Runs of what `kind` says (1: punctuation, 2: with `, 3: each number, 4: numbers) become
 * pieces. */
static void stage_runs(Stages *s, int kind) {
    int before = -1;
    for (size_t at = 0, taken; at < s->text.size; at += taken) {
        uint32_t code = utf8_decode(s->text.data + at, s->text.size - at, &taken);
        bool number = unicode_class(code) == UNICODE_NUMBER;
        int in = kind <= 2 ? punctuation(code, kind == 2) : number;
        if (in != before || (in && kind == 3)) s->cut[at] = true;
        before = in;
    }
}

static void stage_gpt2(Stages *s) {
    for (size_t at = 0; at < s->text.size;) {
        size_t end = piece_end(s, at);
        while (at < end) {
            s->cut[at] = true;
            at += split_word((SplitRule){.gpt2 = true}, s->text.data + at, end - at);
        }
    }
}

static void stage_threes(Stages *s) {
    for (size_t at = 0, end; at < s->text.size; at = end) {
        end = piece_end(s, at);
        for (size_t i = at; i + 3 <= end; i++) {
            const char *p = s->text.data + i;
            if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9' || p[2] < '0' ||
                p[2] > '9')
                continue;
            s->cut[i] = true;
            if (i + 3 < end) s->cut[i + 3] = true;
            i += 2;
        }
    }
}

static void split_in_stages(Stages *s, const char *rule) {
    bool normal = strcmp(rule, "default") == 0, star = strcmp(rule, "starcoder") == 0;
    memset(s->cut, 0, sizeof s->cut);
    s->cut[0] = true;
    stage_runs(s, star ? 3 : normal ? 1 : 2);
    stage_gpt2(s);
    if (normal) stage_runs(s, 4);
    if (!star) stage_threes(s);
}

static size_t hard_text(uint64_t seed, uint64_t round, char *out, size_t max) {
    static const char *const parts[] = {" ",
                                        " ",
                                        "  ",
                                        "\n",
                                        "\t",
                                        "a",
                                        "bc",
                                        "D",
                                        "'s",
                                        "'",
                                        "!",
                                        "...",
                                        "$",
                                        "`",
                                        "~^",
                                        "_",
                                        "1",
                                        "23",
                                        "456",
                                        "7890",
                                        "\xC2\xBD",
                                        "\xD9\xA1\xD9\xA2",
                                        "\xC3\xA9",
                                        "\xE4\xB8\xAD",
                                        "\xE3\x80\x80",
                                        "\xE2\x96\x81",
                                        "\xCC\x81",
                                        "\xF0\x9F\x98\x80",
                                        "\xE2\x80\x9C",
                                        "\x80",
                                        "\xFF",
                                        "\xE2\x96",
                                        "\0",
                                        "</s>",
                                        "<0x41>"};
    size_t size = 0, n = sizeof parts / sizeof *parts;
    for (uint64_t i = 0; i < 60; i++) {
        size_t pick = rng_hash(seed, round, i) % n, length = strlen(parts[pick]);
        if (pick == n - 3) length = 1; /* the byte 0 */
        if (size + length > max) break;
        memcpy(out + size, parts[pick], length);
        size += length;
    }
    return size;
}

static void rules_of_several_patterns_are_as_one_after_the_other(void **state) {
    static const char *const rules[] = {"default", "falcon", "starcoder"};
    (void)state;
    for (uint64_t round = 0; round < 3000; round++) {
        char text[300];
        Stages stages = {.text = {text, hard_text(4, round, text, sizeof text)}};
        const char *rule = rules[round % 3];
        split_in_stages(&stages, rule);
        for (size_t at = 0; at < stages.text.size;) {
            size_t size = split_word(pre_rule_by_name(text_of(rule))->split, text + at,
                                     stages.text.size - at);
            if (at + size != piece_end(&stages, at))
                fail_msg("%s, round %d, byte %zu: %zu, wanted %zu", rule, (int)round, at, size,
                         piece_end(&stages, at) - at);
            at += size;
        }
    }
}

/* A rule that looks to the end of a run for each word of it would take hours. */
static void long_runs_take_no_longer_than_short_ones(void **state) {
    static const char *const rules[] = {"default",   "falcon", "starcoder", "gpt-2",
                                        "llama-bpe", "qwen2",  "tekken"};
    static const char *const runs[] = {"1",   "12\xC2\xBD", " 1", "a",    "aB", "B",  " ",
                                       " \n", "\n",         "!",  "\xFF", "'",  "'s", " !\t"};
    enum { SIZE = 1 << 19 };
    char *text = malloc(SIZE);
    (void)state;
    double start = clock_seconds();
    for (size_t r = 0; r < 7; r++)
        for (size_t k = 0; k < 14; k++) {
            SplitRule rule = pre_rule_by_name(text_of(rules[r]))->split;
            for (size_t i = 0; i < SIZE; i++) text[i] = runs[k][i % strlen(runs[k])];
            for (size_t at = 0; at < SIZE;) at += split_word(rule, text + at, SIZE - at);
        }
    assert_true(clock_seconds() - start < 30);
    free(text);
}

RUN(TEST(long_runs_take_no_longer_than_short_ones), TEST(utf8_and_classes),
    TEST(bytes_are_written_as_characters_and_back), TEST(words_are_cut_as_the_rules_say),
    TEST(rules_of_several_patterns_are_as_one_after_the_other))
