/* split.c - cutting text into words before BPE, by hand instead of by regular expression.
 *
 *   gpt-2     's|'t|'re|'ve|'m|'ll|'d| ?L+| ?N+| ?[^ s L N ]+|s+(?!S)|s+
 *   llama-bpe the same contractions in any case; [^\r\n L N]?L+ ; N{1,3}; ?[^ s L N]+[\r\n]* ; s*[\r\n]+ ; s+(?!S)|s+
 *   qwen2     as llama-bpe with single digits
 *   tekken    no contractions; [^\r\n L N]?(U*D+|U+D*) for letters, U all but a-z, D all but A-Z; single digits;
 *             ?[^ s L N]+[\r\n/]*
 *   starcoder each N apart; then gpt-2 on what is between
 *   falcon    [P$+<=>^~|`]+ apart; then gpt-2 on what is between; then [0-9]{3} apart
 *   default   [P$+<=>^~|]+ apart; then gpt-2; then N+ apart; then [0-9]{3} apart
 *
 * (L letter, N number, P punctuation, s white space, S none.)  Alternatives are tried from left to
 * right, as there; what is "apart" ends the text for the rule that follows.
 * Source   Radford et al. 2019 (GPT-2's encoder); the model cards of Llama 3 and Qwen 2; llama.cpp
 *          (d8a24cc), llm_tokenizer_bpe, for the last three. */
#include "unicode.h"
#include "vocab.h"

#include <string.h>

typedef struct Cursor {
    const char *text;
    size_t size;
    SplitFirst first;
} Cursor;

/* What stands apart from the words around it, whatever these are. */
static bool is_apart(SplitFirst first, UnicodeClass kind, uint32_t code) {
    if (first == FIRST_NOTHING || code == 0) return false;
    if (first == FIRST_DIGITS) return kind == UNICODE_NUMBER;
    return kind == UNICODE_PUNCTUATION || (code < 128 && strchr("$+<=>^~|", (int)code)) ||
           (code == '`' && first == FIRST_TICKS);
}

/* Class and code point at `at`; class -1 at the end and at what stands apart. */
static int class_at(Cursor c, size_t at, uint32_t *code, size_t *taken) {
    *taken = 0;
    *code = 0;
    if (at >= c.size) return -1;
    *code = utf8_decode(c.text + at, c.size - at, taken);
    UnicodeClass kind = unicode_class(*code);
    if (is_apart(c.first, kind, *code)) return -1;
    return kind == UNICODE_PUNCTUATION ? UNICODE_OTHER : (int)kind;
}

/* The bytes at the start that stand apart: a run of punctuation, or one digit. */
static size_t apart(Cursor c) {
    size_t at = 0, taken;
    while (at < c.size && (at == 0 || c.first != FIRST_DIGITS)) {
        uint32_t code = utf8_decode(c.text + at, c.size - at, &taken);
        if (!is_apart(c.first, unicode_class(code), code)) break;
        at += taken;
    }
    return at;
}

/* The end of a run of one class from `at`; `max` characters at most (0: no limit). */
static size_t run(Cursor c, size_t at, int kind, int max) {
    uint32_t code;
    size_t taken;
    for (int n = 0; (max == 0 || n < max) && class_at(c, at, &code, &taken) == kind; n++)
        at += taken;
    return at;
}

static size_t contraction(Cursor c, bool any_case) {
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (c.text[0] != '\'') return 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(endings[i]), same = 0;
        while (same < size && 1 + same < c.size &&
               (c.text[1 + same] == endings[i][same] ||
                (any_case && (c.text[1 + same] | 32) == endings[i][same])))
            same++;
        if (same == size) return 1 + size;
    }
    return 0;
}

/* White space: all of it at the end of the text, else all but the last character, which belongs
 * to what follows; a single one stands alone. */
static size_t spaces(Cursor c) {
    uint32_t code;
    size_t at = 0, last = 0, taken;
    int kind;
    while ((kind = class_at(c, at, &code, &taken)) == UNICODE_SPACE) last = at, at += taken;
    return kind < 0 || last == 0 ? at : last;
}

/* The end of a number from `at`, cut at three ASCII digits in a row: before them, or after when
 * they begin the word. */
static size_t number_in_threes(Cursor c, size_t at) {
    uint32_t code;
    size_t taken, digits = 0;
    while (digits < 3 && class_at(c, at, &code, &taken) == UNICODE_NUMBER) {
        digits = code < 128 ? digits + 1 : 0;
        at += taken;
    }
    return digits == 3 && at > 3 ? at - 3 : at;
}

static size_t split_number(Cursor c, SplitRule rule, size_t start) {
    if (start && rule.bare_digits) return start;
    return rule.threes ? number_in_threes(c, start) : run(c, start, UNICODE_NUMBER, 0);
}

static size_t split_gpt2(Cursor c, SplitRule rule) {
    uint32_t code;
    size_t taken, size = apart(c);
    if (!size) size = contraction(c, false);
    if (size) return size;
    size_t start = c.text[0] == ' ' ? 1 : 0;
    int kind = class_at(c, start, &code, &taken);
    if (kind == UNICODE_NUMBER) return split_number(c, rule, start);
    return kind >= 0 && kind != UNICODE_SPACE ? run(c, start, kind, 0) : spaces(c);
}

static bool is_newline(uint32_t code) { return code == '\r' || code == '\n'; }

/* The last newline in the white space at the start, plus one; 0 when there is none. */
static size_t through_newlines(Cursor c) {
    uint32_t code;
    size_t at = 0, end = 0, taken;
    while (class_at(c, at, &code, &taken) == UNICODE_SPACE) {
        at += taken;
        if (is_newline(code)) end = at;
    }
    return end;
}

static bool letter_at(Cursor c, size_t at, char not_from, char not_to, size_t *taken) {
    uint32_t code;
    return class_at(c, at, &code, taken) == UNICODE_LETTER &&
           !(code >= (unsigned char)not_from && code <= (unsigned char)not_to);
}

/* U*D+ from `at`, else U+D*; the end, or `at` when there is no letter. */
static size_t cased_word(Cursor c, size_t at) {
    size_t taken, end = at, both = 0;
    while (letter_at(c, end, 'a', 'z', &taken)) {
        if (letter_at(c, end, 'A', 'Z', &taken))
            both = end + taken; /* a letter that is U and D */
        end += taken;
    }
    size_t upper = end;
    while (letter_at(c, end, 'A', 'Z', &taken)) end += taken;
    if (end > upper) return end;
    return both ? both : upper;
}

static size_t split_llama3(Cursor c, SplitRule rule) {
    uint32_t code, next;
    size_t taken, taken_next, size = rule.cased ? 0 : contraction(c, true);
    if (size) return size;
    int kind = class_at(c, 0, &code, &taken);
    if (kind == UNICODE_LETTER)
        return rule.cased ? cased_word(c, 0) : run(c, 0, UNICODE_LETTER, 0);
    if (kind != UNICODE_NUMBER && !is_newline(code) &&
        class_at(c, taken, &next, &taken_next) == UNICODE_LETTER)
        return rule.cased ? cased_word(c, taken) : run(c, taken, UNICODE_LETTER, 0);
    if (kind == UNICODE_NUMBER) return run(c, 0, UNICODE_NUMBER, rule.digits);
    size_t start = c.text[0] == ' ' ? 1 : 0;
    if (class_at(c, start, &next, &taken_next) == UNICODE_OTHER) {
        size = run(c, start, UNICODE_OTHER, 0);
        while (size < c.size &&
               (is_newline((unsigned char)c.text[size]) || (rule.cased && c.text[size] == '/')))
            size++;
        return size;
    }
    size = through_newlines(c);
    return size ? size : spaces(c);
}

size_t split_word(SplitRule rule, const char *text, size_t size) {
    Cursor c = {text, size, rule.first};
    return rule.gpt2 ? split_gpt2(c, rule) : split_llama3(c, rule);
}
