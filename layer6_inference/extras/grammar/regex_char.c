/* regex_char.c - characters, escapes and classes of a regular expression.  See regex_tree.h. */
#include "regex_tree.h"
#include "unicode.h"

#include <string.h>

bool regex_wrong(const RegexReader *r, const char *what) {
    long rest = r->end - r->at;
    if (rest == 0) return fault_set(r->fault, "regular expression, at its end: %s", what);
    return fault_set(r->fault, "regular expression, character %ld: %s, at '%.*s'",
                     (long)(r->at - r->begin) + 1, what, (int)(rest < 20 ? rest : 20), r->at);
}

bool regex_take_char(RegexReader *r, uint32_t *c) {
    size_t taken;
    *c = utf8_decode(r->at, (size_t)(r->end - r->at), &taken);
    if (*c == 0xFFFD && taken == 1) return regex_wrong(r, "these bytes are no UTF-8");
    r->at += taken;
    return true;
}

static bool take_hex(RegexReader *r, int digits, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < digits; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;
        int digit = digit_value(c);
        if (digit > 15) return regex_wrong(r, "wanted a hexadecimal digit");
        *value = *value * 16 + (uint32_t)digit;
    }
    return true;
}

/* \u00e9, \u{1F600}, or a pair of surrogates. */
static bool take_u(RegexReader *r, uint32_t *c) {
    uint32_t low;
    if (regex_take(r, '{')) {
        for (*c = 0; r->at < r->end && *r->at != '}' && *c <= 0x10FFFF;) {
            if (!take_hex(r, 1, &low)) return false;
            *c = *c * 16 + low;
        }
        if (*c > 0x10FFFF) return regex_wrong(r, "there is no such character");
        return regex_take(r, '}') || regex_wrong(r, "wanted a }");
    }
    if (!take_hex(r, 4, c)) return false;
    if (*c < 0xD800 || *c > 0xDBFF || !regex_next_is(r, "\\u")) return true;
    r->at += 2;
    if (!take_hex(r, 4, &low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return regex_wrong(r, "half of a pair of surrogates");
    *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

static void add_digits(CharSet *set) { charset_add(set, '0', '9'); }

static void add_word(CharSet *set) {
    add_digits(set);
    charset_add(set, 'A', 'Z'), charset_add(set, 'a', 'z'), charset_add(set, '_', '_');
}

/* ECMA-262, WhiteSpace and LineTerminator. */
static void add_space(CharSet *set) {
    static const CharRange space[] = {{9, 13},          {32, 32},         {0xA0, 0xA0},
                                      {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
                                      {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
                                      {0xFEFF, 0xFEFF}};
    for (size_t i = 0; i < sizeof space / sizeof *space; i++)
        charset_add(set, space[i].first, space[i].last);
}

static void add_categories(CharSet *set, unsigned wanted) {
    for (size_t row = 0; row < unicode_range_count(); row++) {
        UnicodeRange range = unicode_range(row);
        if (wanted >> range.category & 1) charset_add(set, range.first, range.last);
    }
}

/* The value of General_Category by its two names; the kinds of marks, punctuation, symbols and separators are not told
 * apart. */
static const struct Property {
    const char *name, *long_name;
    unsigned categories;
} properties[] = {
    {"L", "Letter", UNICODE_LETTERS},
    {"Lu", "Uppercase_Letter", 1 << UNICODE_LU},
    {"Ll", "Lowercase_Letter", 1 << UNICODE_LL},
    {"Lt", "Titlecase_Letter", 1 << UNICODE_LT},
    {"LC", "Cased_Letter", 1 << UNICODE_LU | 1 << UNICODE_LL | 1 << UNICODE_LT},
    {"Lm", "Modifier_Letter", 1 << UNICODE_LM},
    {"Lo", "Other_Letter", 1 << UNICODE_LO},
    {"M", "Mark", 1 << UNICODE_MARK},
    {"N", "Number", UNICODE_NUMBERS},
    {"Nd", "Decimal_Number", 1 << UNICODE_ND},
    {"Nl", "Letter_Number", 1 << UNICODE_NL},
    {"No", "Other_Number", 1 << UNICODE_NO},
    {"P", "Punctuation", UNICODE_PUNCTUATIONS},
    {"S", "Symbol", 1 << UNICODE_SYMBOL},
    {"Z", "Separator", 1 << UNICODE_SEPARATOR},
    {"M", "Combining_Mark", 1 << UNICODE_MARK}, /* aliases */
    {"Nd", "digit", 1 << UNICODE_ND},
    {"P", "punct", UNICODE_PUNCTUATIONS},
};

/* \p{L}, \p{Letter}, \p{General_Category=Letter} or \p{gc=L}. */
static bool take_property(RegexReader *r, CharSet *set) {
    static const char *const prefixes[] = {"General_Category=", "gc="};
    const char *from = r->at;
    if (!regex_take(r, '{')) return regex_wrong(r, "wanted \\p{...}");
    for (int i = 0; i < 2; i++)
        if (regex_next_is(r, prefixes[i])) r->at += strlen(prefixes[i]);
    const char *end = memchr(r->at, '}', (size_t)(r->end - r->at));
    Text name = {r->at, end ? (size_t)(end - r->at) : 0};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const struct Property *p = &properties[i];
        if (!text_equal(name, text_of(p->name)) && !text_equal(name, text_of(p->long_name)))
            continue;
        r->at = end + 1;
        add_categories(set, p->categories);
        return true;
    }
    r->at = from;
    return regex_wrong(
        r, "this property of characters is not supported (L, Lu, Ll, Lt, LC, Lm, Lo, M, N, Nd, "
           "Nl, No, P, S and Z are)");
}

/* \d and the like: the class that follows a backslash as `kind`, if there is one (*many). */
static bool take_class_escape(RegexReader *r, char kind, CharSet *set, bool *many) {
    *many = true;
    switch (kind) {
    case 'd':
    case 'D': add_digits(set); break;
    case 'w':
    case 'W': add_word(set); break;
    case 's':
    case 'S': add_space(set); break;
    case 'p':
    case 'P':
        if (!take_property(r, set)) return false;
        break;
    default: return *many = false, true;
    }
    if (kind >= 'A' && kind <= 'Z')
        charset_invert(set); /* a capital: all characters but these */
    return true;
}

static bool refuse_escape(RegexReader *r, char kind) {
    r->at -= 2;
    return regex_wrong(r, (kind >= '1' && kind <= '9') || kind == 'k'
                              ? "backreferences are not regular"
                          : kind == 'b' || kind == 'B' ? "word boundaries are not supported"
                                                       : "no such escape");
}

/* \n, \x41, \u0041, \cA, \. and the like: one character. */
static bool take_character_escape(RegexReader *r, char kind, uint32_t *c) {
    static const char plain[] = "^$\\.*+?()[]{}|/-\"' #&,:;<=>@%!~`_";
    static const char letters[] = "tnrfv0", codes[] = "\t\n\r\f\v\0";
    const char *letter = kind ? strchr(letters, kind) : NULL;
    if (kind == 'x') return take_hex(r, 2, c);
    if (kind == 'u') return take_u(r, c);
    if (kind == 'c' && r->at < r->end && (*r->at | 32) >= 'a' && (*r->at | 32) <= 'z')
        return *c = (uint32_t)(*r->at++ & 31), true;
    if (kind == '0' && r->at < r->end && *r->at >= '0' && *r->at <= '9')
        return r->at -= 2, regex_wrong(r, "octal escapes are not supported");
    if (letter) return *c = (uint8_t)codes[letter - letters], true;
    if (kind && strchr(plain, kind)) return *c = (uint8_t)kind, true;
    return refuse_escape(r, kind);
}

/* After a backslash: a class (*many), or a character. */
bool regex_take_escape(RegexReader *r, CharSet *set, bool *many) {
    uint32_t c = 0;
    if (r->at == r->end) return regex_wrong(r, "a backslash at the end");
    char kind = *r->at++;
    if (!take_class_escape(r, kind, set, many)) return false;
    if (*many) return true;
    if (!take_character_escape(r, kind, &c)) return false;
    charset_add(set, c, c);
    return true;
}

/* One member of a [class]: a character or an escape. */
static bool take_member(RegexReader *r, CharSet *set, bool *many) {
    uint32_t c;
    *many = false;
    if (regex_take(r, '\\')) {
        if (regex_take(r, 'b'))
            return charset_add(set, 8, 8), true; /* a backspace, in a class */
        return regex_take_escape(r, set, many);
    }
    if (!regex_take_char(r, &c)) return false;
    charset_add(set, c, c);
    return true;
}

static bool take_range(RegexReader *r, CharSet *set) {
    CharSet first = {0}, last = {0};
    bool many = false, many_too = false;
    bool ok = take_member(r, &first, &many);
    bool range = ok && r->end - r->at >= 2 && *r->at == '-' && r->at[1] != ']';
    if (range) {
        r->at++;
        ok = take_member(r, &last, &many_too);
        if (ok && (many || many_too))
            ok = regex_wrong(r, "a range from or to a class of characters");
        if (ok && first.range[0].first > last.range[0].first)
            ok = regex_wrong(r, "a range that ends before it begins");
        if (ok) charset_add(set, first.range[0].first, last.range[0].first);
    } else if (ok) {
        charset_add_all(set, &first);
    }
    charset_free(&first), charset_free(&last);
    return ok;
}

bool regex_take_class(RegexReader *r, CharSet *set) {
    bool inverted = regex_take(r, '^');
    while (r->at < r->end && *r->at != ']')
        if (!take_range(r, set)) return false;
    if (!regex_take(r, ']')) return regex_wrong(r, "a [class] without its ]");
    inverted ? charset_invert(set) : charset_tidy(set);
    return true;
}
