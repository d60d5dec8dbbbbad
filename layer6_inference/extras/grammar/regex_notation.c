/* regex_notation.c - escapes and (? groups of ECMA-262 with the u flag.  See regex_tree.h. */
#include "regex.h"
#include "unicode.h"

static bool ecma_hex(RegexReader *r, int digits, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < digits; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;
        int digit = digit_value(c);
        if (digit > 15) return regex_wrong(r, "wanted a hexadecimal digit");
        *value = *value * 16 + (uint32_t)digit;
    }
    return true;
}

/* \u00e9, \u{1F600}, or a surrogate pair. */
static bool ecma_u(RegexReader *r, uint32_t *c) {
    uint32_t low;
    if (regex_take(r, "{")) {
        for (*c = 0; r->at < r->end && *r->at != '}' && *c <= 0x10FFFF;) {
            if (!ecma_hex(r, 1, &low)) return false;
            *c = *c * 16 + low;
        }
        if (*c > 0x10FFFF) return regex_wrong(r, "there is no such character");
        return regex_take(r, "}") || regex_wrong(r, "wanted a }");
    }
    if (!ecma_hex(r, 4, c)) return false;
    if (*c < 0xD800 || *c > 0xDBFF || !regex_next_is(r, "\\u")) return true;
    r->at += 2;
    if (!ecma_hex(r, 4, &low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return regex_wrong(r, "half of a pair of surrogates");
    *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

static void add_digits(CodeSet *set) { code_set_add(set, '0', '9'); }

static void add_word(CodeSet *set) {
    add_digits(set);
    code_set_add(set, 'A', 'Z'), code_set_add(set, 'a', 'z'), code_set_add(set, '_', '_');
}

/* ECMA-262, WhiteSpace and LineTerminator. */
static void add_space(CodeSet *set) {
    static const CodeRange space[] = {{9, 13},          {32, 32},         {0xA0, 0xA0},
                                      {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
                                      {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
                                      {0xFEFF, 0xFEFF}};
    for (size_t i = 0; i < sizeof space / sizeof *space; i++)
        code_set_add(set, space[i].first, space[i].last);
}

/* \p{L}, \p{Letter}, \p{General_Category=Letter} or \p{gc=L}. */
static bool ecma_property(RegexReader *r, CodeSet *set) {
    const char *from = r->at;
    if (!regex_take(r, "{")) return regex_wrong(r, "wanted \\p{...}");
    regex_take(r, "General_Category="), regex_take(r, "gc=");
    const char *end = memchr(r->at, '}', (size_t)(r->end - r->at));
    unsigned wanted = regex_categories((Text){r->at, end ? (size_t)(end - r->at) : 0});
    if (wanted) {
        r->at = end + 1;
        code_set_categories(set, wanted, 0);
        r->nodes += set->count / 8; /* hundreds of ranges */
        return true;
    }
    r->at = from;
    return regex_wrong(
        r, "this property of characters is not supported (L, Lu, Ll, Lt, LC, Lm, Lo, M, N, Nd, "
           "Nl, No, P, S and Z are)");
}

/* \d and the like; *many: `kind` is a class. */
static bool ecma_class(RegexReader *r, char kind, CodeSet *set, bool *many) {
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
        if (!ecma_property(r, set)) return false;
        break;
    default: return *many = false, true;
    }
    if (kind >= 'A' && kind <= 'Z') code_set_invert(set); /* upper case: the complement */
    return true;
}

static bool ecma_refuse(RegexReader *r, char kind) {
    r->at -= 2;
    return regex_wrong(r, (kind >= '1' && kind <= '9') || kind == 'k'
                              ? "backreferences are not regular"
                              : "no such escape");
}

/* \n, \x41, \u0041, \cA, \. and the like. */
static bool ecma_character(RegexReader *r, char kind, uint32_t *c) {
    static const char plain[] = "^$\\.*+?()[]{}|/-\"' #&,:;<=>@%!~`_";
    static const char letters[] = "tnrfv0", codes[] = "\t\n\r\f\v\0";
    const char *letter = kind ? strchr(letters, kind) : NULL;
    if (kind == 'x') return ecma_hex(r, 2, c);
    if (kind == 'u') return ecma_u(r, c);
    if (kind == 'c' && r->at < r->end && (*r->at | 32) >= 'a' && (*r->at | 32) <= 'z')
        return *c = (uint32_t)(*r->at++ & 31), true;
    if (kind == '0' && r->at < r->end && *r->at >= '0' && *r->at <= '9')
        return r->at -= 2, regex_wrong(r, "octal escapes are not supported");
    if (letter) return *c = (uint8_t)codes[letter - letters], true;
    if (kind && strchr(plain, kind)) return *c = (uint8_t)kind, true;
    return ecma_refuse(r, kind);
}

static bool ecma_escape(RegexReader *r, bool in_class, RegexNode *atom, uint32_t *one) {
    bool many;
    if (in_class && regex_take(r, "b")) return *one = '\b', true;
    char kind = *r->at++;
    if (!in_class && (kind == 'b' || kind == 'B')) {
        atom->kind = REGEX_EDGE, atom->negative = kind == 'B';
        add_word(&atom->set);
        return *one = LAST_CODE + 1, true;
    }
    if (!ecma_class(r, kind, &atom->set, &many)) return false;
    return many || ecma_character(r, kind, one);
}

/* A name is skipped: groups do not capture. */
static bool ecma_group(RegexReader *r, RegexNode *group) {
    group->negative = regex_next_is(r, "!");
    if (regex_take(r, "=") || regex_take(r, "!")) return group->kind = REGEX_LOOK, true;
    if (!regex_next_is(r, "<") || regex_next_is(r, "<=") || regex_next_is(r, "<!"))
        return regex_wrong(r, "look-behind, atomic groups and flags are not supported");
    while (r->at < r->end && *r->at != '>' && *r->at != ')') r->at++;
    return regex_take(r, ">") || regex_wrong(r, "a group's name without its >");
}

const RegexNotation ecma_notation = {.escape = ecma_escape, .group = ecma_group};
