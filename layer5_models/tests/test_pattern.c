/* patterns: parsed, refused, and matched as by a backtracking engine */
#include "check.h"
#include "models.h"
#include "unicode.h"
#include "../extras/tokenizers/llama_style.h"

/* ------------------------------------------------------------------ going back and trying
 * again */

/* What must match after an atom: the rest of its sequence, or another repetition. */
typedef struct Then {
    const RegexNode *sequence; /* NULL: another time of `atom` */
    size_t from;               /* in the sequence */
    const RegexNode *atom;
    uint32_t times; /* that it has matched */
    const struct Then *next;
} Then;

static bool goes_on(Text text, size_t at, const Then *then, size_t *end);

static bool in_set(const CodeSet *set, Text text, size_t at, size_t *taken) {
    if (at >= text.size) return false;
    return code_set_has(set, utf8_decode(text.data + at, text.size - at, taken));
}

/* The character before `at`, known to exist; the end of the text for none. */
static size_t before(Text text, size_t at) {
    if (at == 0) return text.size;
    do at--;
    while (at > 0 && ((unsigned char)text.data[at] & 0xC0) == 0x80);
    return at;
}

static bool any_matches(const RegexNode *group, Text text, size_t at, const Then *then,
                        size_t *end) {
    for (size_t i = 0; i < group->count; i++)
        if (goes_on(text, at, &(Then){.sequence = group->child[i], .next = then}, end))
            return true;
    return false;
}

static bool matches_once(const RegexNode *atom, Text text, size_t at, const Then *then,
                         size_t *end) {
    size_t taken, ignored;
    switch (atom->kind) {
    case REGEX_SET:
        return in_set(&atom->set, text, at, &taken) && goes_on(text, at + taken, then, end);
    case REGEX_GROUP: return any_matches(atom, text, at, then, end);
    case REGEX_LOOK:
        if (any_matches(atom, text, at, NULL, &ignored) == atom->negative) return false;
        break;
    case REGEX_END:
        if (at < text.size) return false;
        break;
    case REGEX_EDGE:
        if (in_set(&atom->set, text, before(text, at), &taken) ==
            in_set(&atom->set, text, at, &taken))
            return false;
        break;
    case REGEX_BEGIN:
    case REGEX_SEQUENCE: fail_msg("no atom");
    }
    return goes_on(text, at, then, end);
}

/* Greedy: once more, or else what follows. */
static bool repeats(const RegexNode *atom, uint32_t times, Text text, size_t at,
                    const Then *then, size_t *end) {
    Then again = {.atom = atom, .times = times + 1, .next = then};
    if (times < atom->high && matches_once(atom, text, at, &again, end)) return true;
    return times >= atom->low && goes_on(text, at, then, end);
}

static bool goes_on(Text text, size_t at, const Then *then, size_t *end) {
    if (!then) return *end = at, true;
    if (!then->sequence) return repeats(then->atom, then->times, text, at, then->next, end);
    if (then->from == then->sequence->count) return goes_on(text, at, then->next, end);
    Then rest = *then;
    const RegexNode *atom = then->sequence->child[rest.from++];
    return repeats(atom, 0, text, at, &rest, end);
}

static size_t hard_text(uint64_t round, char *out, size_t max) {
    static const char *const parts[] = {" ",
                                        " ",
                                        "  ",
                                        "\n",
                                        "\r\n",
                                        "\t",
                                        "a",
                                        "bc",
                                        "D",
                                        "'s",
                                        "'LL",
                                        "!",
                                        "..",
                                        "$",
                                        "`",
                                        "~^",
                                        "_",
                                        "1",
                                        "23",
                                        "456",
                                        "7890",
                                        "(",
                                        "/",
                                        "=x",
                                        "\xC2\xBD",
                                        "\xD9\xA1",
                                        "\xC3\xA9",
                                        "\xC3\x89",
                                        "\xE4\xB8\xAD",
                                        "\xE3\x80\x80",
                                        "\xE2\x96\x81",
                                        "\xCC\x81",
                                        "\xF0\x9F\x98\x80",
                                        "\xE2\x80\x9C",
                                        "\xE0\xB8\x81",
                                        "\x80",
                                        "\xFF",
                                        "\xE2\x96",
                                        "<sentinel:4>",
                                        "IMGIMGAZ"};
    size_t size = 0, n = sizeof parts / sizeof *parts;
    for (uint64_t i = 0; i < 40; i++) {
        const char *part = parts[rng_hash(4, round, i) % n];
        if (size + strlen(part) > max) break;
        memcpy(out + size, part, strlen(part)), size += strlen(part);
    }
    return size;
}

static void check_matches(const RegexNode *tree, Pattern *pattern, Text text) {
    Search search = {0};
    assert_true(search_begin(&search, pattern, text, NULL));
    for (size_t at = 0; at < text.size;) {
        size_t end = 0, start = at;
        Match match;
        bool found = false;
        for (; start <= text.size && !found; start = search_step(&search, start)) {
            found = any_matches(tree, text, start, NULL, &end);
            if (found || start == text.size) break;
        }
        assert_int_equal(search_next(&search, at, &match), found);
        if (!found) break;
        if (match.start != start || match.end != end)
            fail_msg("from byte %zu: %zu to %zu, wanted %zu to %zu", at, match.start, match.end,
                     start, end);
        at = end > at ? end : search_step(&search, at);
    }
    search_free(&search);
}

static void all_rules_match_as_with_going_back(void **state) {
    (void)state;
    for (const PreRule *rule = pre_rules; rule->names; rule++)
        for (int llama = 0; llama < 2; llama++) {
            const char *const *sources = llama ? llama_stages(rule) : rule->stages;
            for (size_t i = 0; i < MAX_STAGES && sources[i]; i++) {
                Fault fault;
                const RegexNotation *notation =
                    llama ? llama_rule_notation(rule) : &word_notation;
                Pattern *pattern = pattern_open(sources[i], notation, &fault);
                if (!pattern) fail_msg("%s", fault.text);
                RegexNode *tree = regex_tree(text_of(sources[i]), notation, &fault);
                assert_non_null(tree);
                for (uint64_t round = 0; round < 40; round++) {
                    char text[200];
                    check_matches(tree, pattern, (Text){text, hard_text(round, text, 200)});
                }
                regex_tree_free(tree), pattern_close(pattern);
            }
        }
}

static void check_first(const char *source, const char *text, const char *want,
                        int alternative) {
    Fault fault;
    Search search = {0};
    Match match = {0};
    Pattern *pattern = pattern_open(source, &word_notation, &fault);
    if (!pattern) fail_msg("%s", fault.text);
    assert_true(search_begin(&search, pattern, text_of(text), &fault));
    bool found = search_next(&search, 0, &match);
    assert_int_equal(found, want != NULL);
    if (want) {
        assert_true(
            text_equal((Text){text + match.start, match.end - match.start}, text_of(want)));
        assert_int_equal(match.alternative, alternative);
    }
    search_free(&search), pattern_close(pattern);
}

static void the_first_alternative_wins(void **state) {
    (void)state;
    check_first("a|ab", "ab", "a", 0);
    check_first("ab|a", "ab", "ab", 0);
    check_first("b|a", "xab", "a", 1);
    check_first("a*", "aaa", "aaa", 0);
    check_first("a{2,3}", "aaaa", "aaa", 0);
    check_first("(?:ab|a)(?:c|bcd)", "abcd", "abc", 0);
    check_first("(?i:'s|'LL)", "'ll", "'ll", 1);
    check_first("a(?!b)", "abac", "a", 0);
    check_first("\\s+(?!\\S)|\\s+", "   x", "  ", 0);
    check_first("\\s+$", " a  ", "  ", 0);
    check_first("[^\\p{L}\\s]+", "ab, 1", ",", 0);
    check_first("[\\p{L}&&[^a-m]]+", "abcxyz", "xyz", 0);
    check_first("x", "abc", NULL, 0);
    check_first("(?:ab|c)+", "cab", "cab", 0); /* a repeated group is no list of alternatives */
    check_first("a(?=b+c)", "abxabbc", "a", 0);
    check_first("[]a|[]b|c", "abc", "c", 2); /* classes without a character */
    check_first("..",
                "a\n\xE2\x80\xA8"
                "b\xC3\xA9",
                "b\xC3\xA9", 0);
    /* names of either length; what matches in any case */
    check_first("\\p{Letter}+", "1ab", "ab", 0);
    check_first("(?i:k)", "\xE2\x84\xAA", "\xE2\x84\xAA", 0); /* the sign for Kelvin */
    check_first("(?i:S)", "\xC5\xBF", "\xC5\xBF", 0);         /* the long s */
    check_first("(?i:\xC3\xA9~1{)", "\xC3\xA9~1{", "\xC3\xA9~1{", 0);
    check_first("[a-]+", "-a-", "-a-", 0);
    check_first("\xEF\xBF\xBD", "x\xEF\xBF\xBD", "\xEF\xBF\xBD", 0); /* U+FFFD itself */
    check_first("a{2,}", "aaa", "aaa", 0);
    /* braces that repeat nothing are characters */
    static const char *const braces[] = {
        "{",  "a{",  "a{x}", "a{1",  "a{1,",  "a{1,x}", "a{1,2",
        "{1", "a{/", "a{:",  "a{1:", "a{1,:", "a{1,/}", "a{1/}"};
    for (size_t i = 0; i < sizeof braces / sizeof *braces; i++)
        check_first(braces[i], braces[i], braces[i], 0);
}

/* Overlong forms, surrogates and truncated characters: each byte is U+FFFD, not a letter. */
static void invalid_bytes_end_a_word(void **state) {
    (void)state;
    check_first("\\p{L}+",
                "ab\xE0\x81\x81"
                "cd",
                "ab", 0); /* overlong A */
    check_first("\\p{L}+",
                "ab\xF0\x80\x81\x81"
                "cd",
                "ab", 0);
    check_first("[^\\p{L}]", "ab\xE0\x81\x81", "\xE0", 0);
    check_first("\\p{L}+",
                "ab\xED\xA0\x80"
                "cd",
                "ab", 0); /* a surrogate */
    check_first("[^\\p{L}]", "\xED\xA0\x80", "\xED", 0);
    check_first("[^\\p{L}]+", "ab\xE4\xB8", "\xE4\xB8", 0);
    check_first("\\p{L}+",
                "ab\xC3\xA9"
                "cd",
                "ab\xC3\xA9"
                "cd",
                0);
}

/* What a Search remembers of failed attempts changes no answer, whatever the order of
 * queries. */
static void a_search_may_be_asked_anywhere(void **state) {
    static const char *const sources[] = {"(?:aa)+b|a", "a+b|a+c|aa", "(?:a+b)*",
                                          "a+b|a(?!a)|a+(?=bc)", "[a\xC3\xA9]+b|\xC3\xA9"};
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        Fault fault;
        char text[700];
        Search shared = {0}, fresh = {0};
        Match got = {0}, want = {0};
        Pattern *pattern = pattern_open(sources[i], &word_notation, &fault);
        if (!pattern) fail_msg("%s", fault.text);
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = rng_hash(6, i, k) % 97 ? 'a' : "bc"[rng_hash(7, i, k) % 2];
        for (size_t k = 0; i >= 4 && k + 1 < sizeof text; k++)
            if (text[k] == 'a' && text[k + 1] == 'a') memcpy(text + k++, "\xC3\xA9", 2);
        assert_true(search_begin(&shared, pattern, (Text){text, sizeof text}, &fault));
        for (size_t k = 0; k < 2 * sizeof text; k++) {
            size_t from = k < sizeof text ? k : rng_hash(8, i, k) % sizeof text;
            assert_true(search_begin(&fresh, pattern, shared.text, &fault));
            assert_int_equal(search_next(&shared, from, &got),
                             search_next(&fresh, from, &want));
            if (got.start != want.start || got.end != want.end)
                fail_msg("%s from %zu: %zu to %zu, wanted %zu to %zu", sources[i], from,
                         got.start, got.end, want.start, want.end);
        }
        search_free(&shared), search_free(&fresh), pattern_close(pattern);
    }
}

static void what_is_no_pattern_is_refused(void **state) {
    static const struct {
        const char *source, *says;
    } wrong[] = {{"a(b", "at its end: a ( without its )"},
                 {"a)", "character 2: a ) without its ("},
                 {"[a", "a [class] without its ]"},
                 {"*a", "nothing stands before this"},
                 {"a++", "one quantifier behind another"},
                 {"a*?", "lazy repetitions"},
                 {"\\q", "escape"},
                 {"\\p{Xx}", "property"},
                 {"\\pL", "property"},
                 {"\\pL}", "property"},
                 {"a{3,2}", "n less than m"},
                 {"[b-a]", "a range that ends before it begins"},
                 {"(?<=a)b", "not built in"},
                 {"(?=ab)(?=cd)", "second lookahead"},
                 {"(?!ab)", "second lookahead"},
                 {"^a", "cannot have a ^"},
                 {"\\bx", "outside a lookahead"},
                 {"a\xFF", "not UTF-8"},
                 {"?a", "nothing stands before this"},
                 {"+a", "nothing stands before this"},
                 {"[a-\xFF]", "not UTF-8"},
                 {"[\xFF]", "not UTF-8"},
                 {"[a-\\d]", "from or to a class"},
                 {"[\\d-z]", "from or to a class"},
                 {"[a-", "a [class] without its ]"},
                 {"[a&&[b]", "a [class] without its ]"},
                 {"[a&&[b", "a [class] without its ]"},
                 {"a{1000000001}", "more than 1000000000 times"},
                 {"a{1,1000000001}", "more than 1000000000 times"},
                 {"a{2}{3}", "one quantifier behind another"},
                 {"a{2}+", "one quantifier behind another"},
                 {"a$*", "cannot be repeated"},
                 {"\\p{", "property"},
                 {"\\p{L", "property"},
                 {"a{0,100}", "too large"},
                 {"a{2000000}", "too large"},
                 {"a\\", "a backslash at the end"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Fault fault;
        assert_null(pattern_open(wrong[i].source, &word_notation, &fault));
        assert_contains(fault.text, wrong[i].says);
    }
}

static void refused_of_many(const char *each, size_t times, const char *says) {
    Fault fault;
    char *source = calloc(times, strlen(each) + 1), *at = source;
    for (size_t i = 0; i < times; i++) at += sprintf(at, each, (char)('0' + i));
    assert_null(pattern_open(source, &word_notation, &fault));
    assert_contains(fault.text, says);
    free(source);
}

static void patterns_have_a_size(void **state) {
    (void)state;
    refused_of_many("(", 5000, "nested too deeply");
    refused_of_many("a", 2000000, "too ");
    refused_of_many("[%c]", 70, "more than 64 sets");
}

static void append_code(char **at, uint32_t code) { *at += utf8_encode(code, *at); }

/* Nine sets, each of the characters from U+400 with a bit of their number: 512 kinds. */
static void patterns_tell_256_kinds_of_characters_apart(void **state) {
    static char source[1 << 14];
    (void)state;
    for (size_t bits = 7; bits <= 9; bits += 2) {
        Fault fault;
        char *at = source;
        for (size_t bit = 0; bit < bits; bit++) {
            *at++ = '[';
            for (uint32_t code = 0; code < 1u << bits; code++)
                if (code >> bit & 1) append_code(&at, 0x400 + code);
            memcpy(at, "]|", 3), at += 2;
        }
        at[-1] = 0;
        Pattern *pattern = pattern_open(source, &word_notation, &fault);
        assert_int_equal(pattern != NULL, bits == 7);
        if (bits == 9) assert_contains(fault.text, "more than 256 kinds of characters");
        pattern_close(pattern);
    }
}

/* A set with one character of each of many blocks of 256. */
static void sets_may_be_scattered(void **state) {
    enum { BLOCKS = 600 };
    static char source[4 * BLOCKS + 3];
    (void)state;
    char *at = source;
    *at++ = '[';
    for (uint32_t block = 0; block < BLOCKS; block++) append_code(&at, 0x10041 + 256 * block);
    memcpy(at, "]", 2);
    for (uint32_t block = 0; block < BLOCKS; block++) {
        char text[9] = "", *end = text;
        append_code(&end, 0x10040 + 256 * block), append_code(&end, 0x10041 + 256 * block);
        check_first(source, text, text + 4, 0);
    }
}

/* Beside a naive set: sorted, none touches the next, after each operation. */
static void ranges_are_sorted_and_apart(void **state) {
    (void)state;
    enum { CODES = 90 };
    Rng rng = {4, 0, 0};
    for (int trial = 0; trial < 400; trial++) {
        CodeSet a = {0}, b = {0};
        bool has_a[CODES] = {false}, has_b[CODES] = {false};
        for (int step = 0; step < 12; step++) {
            uint32_t first = (uint32_t)rng_below(&rng, CODES),
                     last = first + (uint32_t)rng_below(&rng, CODES - first);
            bool to_a = step % 2;
            code_set_add(to_a ? &a : &b, first, last);
            for (uint32_t c = first; c <= last; c++) (to_a ? has_a : has_b)[c] = true;
        }
        switch (trial % 3) {
        case 0: code_set_join(&a, &b); break;
        case 1: code_set_meet(&a, &b); break;
        default: code_set_invert(&a);
        }
        for (uint32_t c = 0; c < CODES; c++)
            assert_int_equal(code_set_has(&a, c), trial % 3 == 0   ? has_a[c] || has_b[c]
                                                  : trial % 3 == 1 ? has_a[c] && has_b[c]
                                                                   : !has_a[c]);
        for (size_t i = 0; i < a.count; i++) {
            assert_true(a.ranges[i].first <= a.ranges[i].last);
            if (i) assert_true(a.ranges[i].first > a.ranges[i - 1].last + 1);
        }
        code_set_free(&a), code_set_free(&b);
    }
}

RUN(TEST(all_rules_match_as_with_going_back), TEST(the_first_alternative_wins),
    TEST(invalid_bytes_end_a_word), TEST(a_search_may_be_asked_anywhere),
    TEST(what_is_no_pattern_is_refused), TEST(patterns_have_a_size),
    TEST(ranges_are_sorted_and_apart), TEST(patterns_tell_256_kinds_of_characters_apart),
    TEST(sets_may_be_scattered))
