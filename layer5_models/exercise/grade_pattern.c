/* The grader of searching: a pattern's table, walked over a text. */
#include "../src/pattern/pattern.h"
#include "grader.h"
#include "models.h"

DECLARE_SHIPPED(search_begin);
DECLARE_SHIPPED(search_next);
DECLARE_SHIPPED(search_free);

typedef enum Stumble {
    NO_STUMBLE,
    FIRST_HIT,
    ENDS_EARLY,
    ONE_FURTHER,
    NEVER_STOPS_SHORT,
    COUNTED_FROM_ONE,
    ONLY_HERE,
    NONE_AT_THE_END,
    STUMBLES
} Stumble;

static const char *const stumble_hints[STUMBLES] = {
    [FIRST_HIT] =
        "the last match on the way counts: the walk goes on after a hit, as long as the "
        "state is not 0",
    [ENDS_EARLY] =
        "the end of the text is a symbol, too: a match may end before it, and is only "
        "seen in the step that reads it",
    [ONE_FURTHER] = "`match` says that a match ends before this character, not after it",
    [NEVER_STOPS_SHORT] = "a match ends where it was seen, not where the walk ended",
    [COUNTED_FROM_ONE] =
        "alternatives count from 0, and in the table from 1, since 0 means none there",
    [ONLY_HERE] =
        "where no match begins, the next character is tried, up to the end of the text",
    [NONE_AT_THE_END] = "a match may be empty, and begin at the end of the text",
};

/* Letters of ASCII only, and patterns that do not look far. */
static bool walk_slowly(const Pattern *p, Text text, size_t start, Stumble stumble,
                        Match *match) {
    uint16_t state = p->machine.start[0], matched = 0;
    size_t at = start;
    match->start = match->end = start;
    while (state) {
        bool ends = at == text.size;
        if (ends && stumble == ENDS_EARLY) break;
        size_t symbol = ends ? p->kinds : p->ascii[(unsigned char)text.data[at]];
        TableStep step = p->machine.steps[state * p->symbols + symbol];
        if (step.match) match->end = at + (stumble == ONE_FURTHER), matched = step.match;
        if ((step.match && stumble == FIRST_HIT) || ends) break;
        state = step.next, at++;
    }
    if (matched && stumble == NEVER_STOPS_SHORT) match->end = at;
    match->alternative = matched - (stumble != COUNTED_FROM_ONE);
    return matched > 0;
}

static bool search_slowly(const Pattern *p, Text text, size_t from, Stumble stumble,
                          Match *match) {
    for (size_t at = from; at <= text.size; at++) {
        if (at == text.size && stumble == NONE_AT_THE_END) return false;
        if (walk_slowly(p, text, at, stumble, match)) return true;
        bool passed_over = at < text.size && p->skips[(unsigned char)text.data[at]];
        if (stumble == ONLY_HERE && !passed_over) return false;
    }
    return false;
}

static bool same_match(bool a_found, Match a, bool b_found, Match b) {
    return a_found == b_found && (!a_found || (a.start == b.start && a.end == b.end &&
                                               a.alternative == b.alternative));
}

static struct {
    bool cleared[STUMBLES], wrong;
    char first[400];
} suspects;

static void search_and_compare(const Pattern *p, const char *source, Text text) {
    Search search = {0};
    Match got = {0}, want = {0}, other = {0};
    NEED(search_begin(&search, p, text, NULL));
    for (size_t from = 0; from <= text.size; from++) {
        bool found = search_next(&search, from, &got),
             there = search_slowly(p, text, from, NO_STUMBLE, &want);
        for (Stumble s = 1; s < STUMBLES; s++) {
            bool its = search_slowly(p, text, from, s, &other);
            if (!same_match(found, got, its, other)) suspects.cleared[s] = true;
        }
        if (suspects.wrong || same_match(found, got, there, want)) continue;
        suspects.wrong = true;
        snprintf(
            suspects.first, sizeof suspects.first,
            "%s in \"%.*s\" from %zu: expected %s %zu to %zu, alternative %d; got %s %zu to "
            "%zu, alternative %d",
            source, (int)text.size, text.data, from, there ? "a match," : "none;", want.start,
            want.end, want.alternative, found ? "a match," : "none;", got.start, got.end,
            got.alternative);
    }
    search_free(&search);
}

static const char *const patterns[] = {
    "ab|a",       "a|ab", "(?:ab)*c|a", " ?[a-c]+|\\s+(?!\\S)|\\s+",
    "[0-9]{1,3}", "b*",   "a+b|a$",     "'s|'t| ?[a-z]+| ?[0-9]+|\\s+"};

/* Text outside ASCII, compared with the library. */
static void compare_letters(const Pattern *p, Text text) {
    Search mine = {0}, ours = {0};
    Match got = {0}, want = {0};
    NEED(search_begin(&mine, p, text, NULL) && SHIPPED(search_begin)(&ours, p, text, NULL));
    for (size_t from = 0; from <= text.size; from = search_step(&mine, from)) {
        bool found = search_next(&mine, from, &got),
             there = SHIPPED(search_next)(&ours, from, &want);
        HINT(same_match(found, got, there, want),
             "a character may have several bytes: the walk goes on by what symbol_at() has "
             "taken, and `skips` is only for those of ASCII. "
             "Expected %zu to %zu, got %zu to %zu",
             want.start, want.end, got.start, got.end);
        if (from == text.size) break;
    }
    search_free(&mine), SHIPPED(search_free)(&ours);
}

/* A match may be long, too. */
static void compare_blanks(void) {
    enum { LONG = 9000 };
    static char blanks[LONG];
    Fault fault;
    Search search = {0};
    Match match = {0};
    Pattern *p = pattern_open("\\s+", &word_notation, &fault);
    memset(blanks, ' ', sizeof blanks);
    NEED(p && search_begin(&search, p, (Text){blanks, LONG}, &fault));
    HINT(search_next(&search, 0, &match), "\\s+ is in a text of blanks");
    COUNT(match.end, LONG, "a match may be as long as the text: \\s+ in %d blanks", LONG);
    search_free(&search), pattern_close(p);
}

/* Attempts that run on for long without a match are remembered: else n of them take n steps
 * each. */
static void remembers(const char *source, bool there) {
    char as[300];
    Fault fault;
    Search search = {0};
    Match match = {0};
    Pattern *p = pattern_open(source, &word_notation, &fault);
    memset(as, 'a', sizeof as), as[sizeof as - 1] = 'c';
    NEED(p && search_begin(&search, p, (Text){as, sizeof as}, &fault));
    HINT(search_next(&search, 0, &match) == there && (!there || match.end == 1),
         "%s in 299 letters a and a c: %s", source,
         there ? "the first of them matches" : "there is no b");
    HINT(search.barren_to >= search.barren_from + 64,
         "a walk of 64 or more characters after the last match, which led to nothing, is "
         "remembered%s: remember_barren() with the position and the state from which it was in "
         "vain",
         there ? ", after a match as well" : "");
    HINT(search.barren[60], "remember_barren() is told the position of the last match and the "
                            "state there, not that in which the walk ended");
    as[sizeof as - 1] = 'b'; /* changed behind its back: only a second walk can notice */
    search_next(&search, 5, &match);
    HINT(match.start != 5 || match.end == 6,
         "a walk ends where is_barren() knows that it leads to nothing: else each of n "
         "attempts takes n steps");
    search_free(&search), pattern_close(p);
}

/* What was remembered must be the position and state of the last match, not others. */
static void compare_remembered(void) {
    static const char *const sources[] = {"(?:aa)+b|a", "a+b|a+c|aa", "aa|a+c",
                                          "a{1,3}b|a+c|a"};
    enum { SIZE = 6000 };
    static char text[SIZE];
    for (size_t i = 0; i < 4 * sizeof sources / sizeof *sources; i++) {
        Fault fault;
        Search search = {0};
        Match got = {0}, want = {0};
        const char *source = sources[i / 4];
        Pattern *p = pattern_open(source, &word_notation, &fault);
        for (size_t k = 0; k < SIZE; k++)
            text[k] = fresh_below(97) ? 'a' : "bc"[fresh_below(2)];
        NEED(p && search_begin(&search, p, (Text){text, SIZE}, &fault));
        for (size_t from = 0; from < SIZE; from = i % 2 ? from + 1 : got.end) {
            bool found = search_next(&search, from, &got),
                 there = search_slowly(p, search.text, from, NO_STUMBLE, &want);
            HINT(same_match(found, got, there, want),
                 "what is told to remember_barren() is the position of the last match and the "
                 "state there, before its character was read: %s in a text of %d letters from "
                 "%zu: expected %s%zu to %zu, got %s%zu to %zu",
                 source, SIZE, from, there ? "" : "none, not ", want.start, want.end,
                 found ? "" : "none, not ", got.start, got.end);
            if (!found) break;
        }
        search_free(&search), pattern_close(p);
    }
}

GRADE(searching) {
    Fault fault;
    char text[64];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        Pattern *p = pattern_open(patterns[i], &word_notation, &fault);
        NEED(p && !p->far.states);
        for (int round = 0; round < 60; round++) {
            size_t size = fresh_below(14);
            for (size_t k = 0; k < size; k++) text[k] = "aabbc 1's\n"[fresh_below(10)];
            search_and_compare(p, patterns[i], (Text){text, size});
        }
        pattern_close(p);
    }
    for (int s = 1; s < STUMBLES && suspects.wrong; s++)
        HINT(suspects.cleared[s], "%s", stumble_hints[s]);
    HINT(!suspects.wrong, "%s", suspects.first);
    Pattern *p = pattern_open("\\p{L}+|\\p{N}+|[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
                              &word_notation, &fault);
    NEED(p);
    memset(p->is_word, true,
           sizeof p->is_word); /* no lookahead asks; and `skips` has no more than ASCII */
    for (int round = 0; round < 200; round++) {
        static const char *const parts[] = {"\xC3\xA9", "a", " ",   "\xE4\xB8\xAD",
                                            "\xC2\xBD", "!", "\xFF"};
        size_t size = 0;
        while (size < 20) {
            const char *part = parts[fresh_below(7)];
            memcpy(text + size, part, strlen(part)), size += strlen(part);
        }
        compare_letters(p, (Text){text, size});
    }
    pattern_close(p);
    compare_blanks();
    remembers("a+b", false), remembers("a+b|a", true);
    compare_remembered();
}

GRADES({"5.24", searching})
