/* patterns: read, refused, and matched as one that goes back and tries again would match */
#include "check.h"
#include "models.h"
#include "unicode.h"
#include "../extras/tokenizers/llama_style.h"

/* ------------------------------------------------------------------ going back and trying again */

typedef struct Try {
    const Tree *tree;
    Text text;
} Try;

/* What has to match behind a node. */
typedef struct Then {
    int32_t node; /* -1: done */
    int count;    /* times that a repetition has matched */
    const struct Then *next;
} Then;

static bool matches(const Try *t, int32_t node, int count, size_t at, const Then *then,
                    size_t *end);

static bool go_on(const Try *t, size_t at, const Then *then, size_t *end) {
    if (!then) return *end = at, true;
    return matches(t, then->node, then->count, at, then->next, end);
}

static bool in_set(const Try *t, int32_t set, size_t at, size_t *taken) {
    if (at >= t->text.size) return false;
    uint32_t code = utf8_decode(t->text.data + at, t->text.size - at, taken);
    return code_set_has(&t->tree->sets[set], code);
}

static bool is_word(const Try *t, size_t at) {
    size_t taken;
    return in_set(t, t->tree->word_set, at, &taken);
}

/* The character before `at`, of which it is known that it is one; the end of the text for none. */
static size_t before(const Try *t, size_t at) {
    if (at == 0) return t->text.size;
    do at--;
    while (at > 0 && ((unsigned char)t->text.data[at] & 0xC0) == 0x80);
    return at;
}

static bool repeats(const Try *t, const Node *n, int32_t node, int count, size_t at,
                    const Then *then, size_t *end) {
    Then again = {node, count + 1, then};
    if ((n->max < 0 || count < n->max) && matches(t, n->a, 0, at, &again, end)) return true;
    return count >= n->min && go_on(t, at, then, end);
}

static bool matches(const Try *t, int32_t node, int count, size_t at, const Then *then,
                    size_t *end) {
    const Node *n = &t->tree->nodes[node];
    size_t taken, ignored;
    Then second = {n->b, 0, then};
    switch (n->kind) {
    case NODE_EMPTY: break;
    case NODE_SET: return in_set(t, n->a, at, &taken) && go_on(t, at + taken, then, end);
    case NODE_THEN: return matches(t, n->a, 0, at, &second, end);
    case NODE_EITHER:
        return matches(t, n->a, 0, at, then, end) || matches(t, n->b, 0, at, then, end);
    case NODE_REPEAT: return repeats(t, n, node, count, at, then, end);
    case NODE_LOOK:
        if (in_set(t, n->a, at, &taken) == n->negative) return false;
        break;
    case NODE_LOOK_FAR:
        if (!matches(t, t->tree->far, 0, at, NULL, &ignored)) return false;
        break;
    case NODE_END:
        if (at < t->text.size) return false;
        break;
    case NODE_EDGE:
        if (is_word(t, before(t, at)) == is_word(t, at)) return false;
        break;
    }
    return go_on(t, at, then, end);
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

static void check_matches(const Tree *tree, Pattern *pattern, Text text) {
    Search search = {0};
    Try t = {tree, text};
    assert_true(search_begin(&search, pattern, text, NULL));
    for (size_t at = 0; at < text.size;) {
        size_t end = 0, start = at;
        Match match;
        bool found = false;
        for (; start <= text.size && !found; start = search_step(&search, start)) {
            found = matches(&t, tree->root, 0, start, NULL, &end);
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
                Tree tree;
                Fault fault;
                bool collapsed = llama && llama_rule(rule)->collapsed;
                Pattern *pattern = pattern_open(sources[i], collapsed, &fault);
                if (!pattern) fail_msg("%s", fault.text);
                assert_true(pattern_read(&tree, sources[i], collapsed, &fault));
                for (uint64_t round = 0; round < 40; round++) {
                    char text[200];
                    check_matches(&tree, pattern, (Text){text, hard_text(round, text, 200)});
                }
                pattern_tree_free(&tree), pattern_close(pattern);
            }
        }
}

static void check_first(const char *source, const char *text, const char *want,
                        int alternative) {
    Fault fault;
    Search search = {0};
    Match match = {0};
    Pattern *pattern = pattern_open(source, false, &fault);
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

/* What one Search remembers of attempts in vain changes no answer, in whatever order it is asked. */
static void a_search_may_be_asked_anywhere(void **state) {
    static const char *const sources[] = {"(?:aa)+b|a", "a+b|a+c|aa", "(?:a+b)*",
                                          "a+b|a(?!a)|a+(?=bc)"};
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        Fault fault;
        char text[700];
        Search shared = {0}, fresh = {0};
        Match got = {0}, want = {0};
        Pattern *pattern = pattern_open(sources[i], false, &fault);
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
    } wrong[] = {{"a(b", "group without its end"},
                 {"a)", "not begun"},
                 {"[a", "class without its end"},
                 {"*a", "repetition of nothing"},
                 {"a++", "not built in"},
                 {"a*?", "not built in"},
                 {"\\q", "escape"},
                 {"\\p{Xx}", "property"},
                 {"a{3,2}", "no repetition"},
                 {"[b-a]", "no range"},
                 {"(?<=a)b", "not built in"},
                 {"(?=ab)(?=cd)", "second lookahead"},
                 {"(?!ab)", "second lookahead"},
                 {"a.b", "not built in"},
                 {"\\bx", "outside a lookahead"},
                 {"a\\", "nothing behind"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Fault fault;
        assert_null(pattern_open(wrong[i].source, false, &fault));
        assert_contains(fault.text, wrong[i].says);
    }
}

RUN(TEST(all_rules_match_as_with_going_back), TEST(the_first_alternative_wins),
    TEST(a_search_may_be_asked_anywhere), TEST(what_is_no_pattern_is_refused))
