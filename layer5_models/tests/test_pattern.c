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
                                          "a+b|a(?!a)|a+(?=bc)"};
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
                 {"a{3,2}", "n less than m"},
                 {"[b-a]", "a range that ends before it begins"},
                 {"(?<=a)b", "not built in"},
                 {"(?=ab)(?=cd)", "second lookahead"},
                 {"(?!ab)", "second lookahead"},
                 {"^a", "cannot have a ^"},
                 {"\\bx", "outside a lookahead"},
                 {"a\\", "a backslash at the end"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Fault fault;
        assert_null(pattern_open(wrong[i].source, &word_notation, &fault));
        assert_contains(fault.text, wrong[i].says);
    }
}

RUN(TEST(all_rules_match_as_with_going_back), TEST(the_first_alternative_wins),
    TEST(invalid_bytes_end_a_word), TEST(a_search_may_be_asked_anywhere),
    TEST(what_is_no_pattern_is_refused))
