/* word_notation.c - escapes and groups in patterns that split text.  See pattern.h. */
#include "pattern.h"
#include "unicode.h"

/* The script Han, from Scripts.txt of Unicode 14.0. */
static void add_han(CodeSet *set) {
    static const CodeRange han[] = {
        {0x2E80, 0x2E99},   {0x2E9B, 0x2EF3},   {0x2F00, 0x2FD5},   {0x3005, 0x3005},
        {0x3007, 0x3007},   {0x3021, 0x3029},   {0x3038, 0x303B},   {0x3400, 0x4DBF},
        {0x4E00, 0x9FFF},   {0xF900, 0xFA6D},   {0xFA70, 0xFAD9},   {0x16FE2, 0x16FE3},
        {0x16FF0, 0x16FF1}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B738}, {0x2B740, 0x2B81D},
        {0x2B820, 0x2CEA1}, {0x2CEB0, 0x2EBE0}, {0x2F800, 0x2FA1D}, {0x30000, 0x3134A}};
    for (size_t i = 0; i < sizeof han / sizeof *han; i++)
        code_set_add(set, han[i].first, han[i].last);
}

static bool take_category(RegexReader *r, const WordSets *sets, CodeSet *set) {
    const char *end = memchr(r->at, '}', (size_t)(r->end - r->at));
    Text name = {r->at + 1, end && *r->at == '{' ? (size_t)(end - r->at) - 1 : 0};
    unsigned wanted = regex_categories(name);
    if (text_equal(name, text_of("Han")))
        add_han(set);
    else if (wanted)
        sets->categories(r, set, wanted);
    else
        return regex_wrong(r, "an unknown property of characters");
    return r->at = end + 1, true;
}

/* \b, in a lookahead: letters, marks, numbers and _ are word characters. */
static bool take_edge(RegexReader *r, RegexNode *atom) {
    (void)r;
    atom->kind = REGEX_EDGE;
    code_set_categories(&atom->set, UNICODE_LETTERS | 1u << UNICODE_MARK | UNICODE_NUMBERS, 0);
    code_set_add(&atom->set, '_', '_');
    return true;
}

bool word_escape(RegexReader *r, bool in_class, const WordSets *sets, RegexNode *atom,
                 uint32_t *one) {
    char kind = *r->at;
    if (!in_class && regex_take(r, "b")) return take_edge(r, atom);
    if (regex_take(r, "p")) return take_category(r, sets, &atom->set);
    if (regex_take(r, "s")) return sets->spaces(&atom->set), true;
    if (regex_take(r, "S")) return sets->spaces(&atom->set), code_set_invert(&atom->set), true;
    if (regex_take(r, "d")) return sets->digits(&atom->set), true;
    if ((kind | 32) >= 'a' && (kind | 32) <= 'z' && !strchr("rnt", kind))
        return regex_wrong(r, "an escape that is not built in");
    *one = kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind == 't' ? '\t' : (unsigned char)kind;
    r->at++;
    return true;
}

bool word_group(RegexReader *r, RegexNode *group) {
    if (regex_take(r, "i:")) return r->any_case = true;
    group->negative = regex_next_is(r, "!");
    if (!regex_take(r, "=") && !regex_take(r, "!"))
        return regex_wrong(r, "a group of a kind that is not built in");
    group->kind = REGEX_LOOK;
    return true;
}

static void trained_categories(const RegexReader *reader, CodeSet *set, unsigned wanted) {
    (void)reader;
    code_set_categories(set, wanted, 0);
}

static void trained_spaces(CodeSet *set) { code_set_spaces(set, 0); }

static void trained_digits(CodeSet *set) { code_set_categories(set, 1u << UNICODE_ND, 0); }

static bool trained_escape(RegexReader *r, bool in_class, RegexNode *atom, uint32_t *one) {
    static const WordSets sets = {trained_categories, trained_spaces, trained_digits};
    return word_escape(r, in_class, &sets, atom, one);
}

const RegexNotation word_notation = {
    .escape = trained_escape, .group = word_group, .meets = true};
