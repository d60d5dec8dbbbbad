/* llama_notation.c - patterns as llama.cpp interprets some of them.  See llama_style.h.
 *
 * If the source has \p{, all characters above 127 count as one of six (white space, N, L, P, M,
 * S; others a seventh), Lu means L, and \s is ASCII's; else white space above 127 is one
 * character, U+000B. */
#include "llama_style.h"
#include "unicode.h"

/* What llama.cpp writes for a character above 127. */
enum { COLLAPSED_SPACE = 0x0B, COLLAPSED_OTHER = 0xD0 };

static const struct {
    unsigned categories;
    uint32_t code;
} collapsed[] = {{UNICODE_NUMBERS, 0xD1},
                 {UNICODE_LETTERS, 0xD2},
                 {UNICODE_PUNCTUATIONS, 0xD3},
                 {1u << UNICODE_MARK, 0xD4},
                 {1u << UNICODE_SYMBOL, 0xD5},
                 {~(UNICODE_NUMBERS | UNICODE_LETTERS | UNICODE_PUNCTUATIONS |
                    1u << UNICODE_MARK | 1u << UNICODE_SYMBOL | 1u << UNICODE_SEPARATOR),
                  COLLAPSED_OTHER}};

static bool is_narrow(const RegexReader *r) {
    size_t size = (size_t)(r->end - r->begin);
    return memmem(r->begin, size, "\\p{", 3) != NULL;
}

static void llama_categories(const RegexReader *r, CodeSet *set, unsigned wanted) {
    if (!is_narrow(r)) {
        code_set_categories(set, wanted, 0);
        return;
    }
    if (wanted & UNICODE_LETTERS) wanted = UNICODE_LETTERS;
    for (uint32_t code = 0; code < 128; code++)
        if (wanted >> unicode_category(code) & 1 && code != '~') /* which it forgets */
            code_set_add(set, code, code);
    for (size_t i = 0; i + 1 < sizeof collapsed / sizeof *collapsed; i++)
        if (wanted & collapsed[i].categories)
            code_set_add(set, collapsed[i].code, collapsed[i].code);
}

static void llama_spaces(CodeSet *set) {
    code_set_add(set, '\t', '\r'), code_set_add(set, ' ', ' ');
}

static void llama_digits(CodeSet *set) { code_set_add(set, '0', '9'); }

static bool llama_escape(RegexReader *r, bool in_class, RegexNode *atom, uint32_t *one) {
    static const WordSets sets = {llama_categories, llama_spaces, llama_digits};
    return word_escape(r, in_class, &sets, atom, one);
}

/* Replace a set's collapsed characters by those above 127 that they represent. */
static void spread(const RegexReader *r, CodeSet *set) {
    CodeSet above = {0}, spaces = {0}, ascii = {0};
    code_set_spaces(&spaces, 128);
    if (is_narrow(r)) {
        for (size_t i = 0; i < sizeof collapsed / sizeof *collapsed; i++)
            if (code_set_has(set, collapsed[i].code))
                code_set_categories(&above, collapsed[i].categories, 128);
    } else {
        code_set_join(&above, set);
    }
    bool has_space = code_set_has(set, COLLAPSED_SPACE);
    code_set_invert(&above);
    code_set_join(&above, &spaces);
    code_set_add(&above, 0, 127);
    code_set_invert(&above); /* above 127, without white space */
    if (has_space) code_set_join(&above, &spaces);
    code_set_add(&ascii, 0, 127);
    code_set_meet(set, &ascii);
    code_set_join(set, &above);
    code_set_free(&above), code_set_free(&spaces), code_set_free(&ascii);
}

const RegexNotation llama_notation = {
    .escape = llama_escape, .group = word_group, .finish = spread, .meets = true};
