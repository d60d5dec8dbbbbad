/* regex_tree.c - from the text of a regular expression to its tree.  See regex_tree.h. */
#include "regex_tree.h"
#include "grow.h"
#include "unicode.h"

#include <stdlib.h>

enum { MAX_DEPTH = 250, MAX_REPEATS = 1000000000 };

bool regex_wrong(const RegexReader *r, const char *what) {
    long rest = r->end - r->at;
    if (rest == 0) return fault_set(r->fault, "regular expression, at its end: %s", what);
    return fault_set(r->fault, "regular expression, character %ld: %s, at '%.*s'",
                     (long)(r->at - r->begin) + 1, what, (int)(rest < 20 ? rest : 20), r->at);
}

bool regex_take(RegexReader *r, const char *text) {
    if (!regex_next_is(r, text)) return false;
    r->at += strlen(text);
    return true;
}

/* ------------------------------------------------------------------ nodes */

void regex_tree_free(RegexNode *node) {
    if (!node) return;
    for (size_t i = 0; i < node->count; i++) regex_tree_free(node->child[i]);
    free(node->child);
    code_set_free(&node->set);
    free(node);
}

static bool regex_memory(const RegexReader *r) {
    return fault_set(r->fault, "no memory for a regular expression");
}

static RegexNode *regex_child(const RegexReader *r, RegexNode *parent, RegexKind kind) {
    RegexNode *node = calloc(1, sizeof *node);
    if (!node || !GROW(parent->child, parent->room, parent->count + 1))
        return free(node), regex_memory(r), (RegexNode *)NULL;
    *node = (RegexNode){.kind = kind, .low = 1, .high = 1};
    parent->child[parent->count++] = node;
    return node;
}

/* ------------------------------------------------------------------ characters and classes */

unsigned regex_categories(Text name) {
    static const struct {
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
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (text_equal(name, text_of(properties[i].name)) ||
            text_equal(name, text_of(properties[i].long_name)))
            return properties[i].categories;
    return 0;
}

static bool regex_take_one(RegexReader *r, uint32_t *c) {
    size_t taken;
    *c = utf8_decode(r->at, (size_t)(r->end - r->at), &taken);
    if (*c == 0xFFFD && taken == 1) return regex_wrong(r, "these bytes are not UTF-8");
    r->at += taken;
    return true;
}

static void regex_add_one(const RegexReader *r, CodeSet *set, uint32_t code) {
    code_set_add(set, code, code);
    if (!r->any_case || code >= 128 || (code | 32) < 'a' || (code | 32) > 'z') return;
    code_set_add(set, code ^ 32, code ^ 32);
    if ((code | 32) == 's') code_set_add(set, 0x17F, 0x17F);   /* the long s */
    if ((code | 32) == 'k') code_set_add(set, 0x212A, 0x212A); /* the sign for Kelvin */
}

/* A character or an escape.  *one: the character; above LAST_CODE: a class, in the node's
 * set. */
static bool regex_take_member(RegexReader *r, bool in_class, RegexNode *node, uint32_t *one) {
    *one = LAST_CODE + 1;
    if (!regex_take(r, "\\")) return regex_take_one(r, one);
    if (r->at == r->end) return regex_wrong(r, "a backslash at the end");
    return r->notation->escape(r, in_class, node, one);
}

static bool regex_take_class(RegexReader *r, CodeSet *set);

/* A member of a class, or a range from it to another one. */
static bool regex_take_range(RegexReader *r, CodeSet *set) {
    RegexNode member = {0};
    uint32_t first, last;
    bool ok = regex_take_member(r, true, &member, &first);
    bool range = ok && r->end - r->at >= 2 && *r->at == '-' && r->at[1] != ']';
    if (range) {
        r->at++;
        ok = regex_take_member(r, true, &member, &last);
        if (ok && (first > LAST_CODE || last > LAST_CODE))
            ok = regex_wrong(r, "a range from or to a class of characters");
        else if (ok && first > last)
            ok = regex_wrong(r, "a range that ends before it begins");
        if (ok) code_set_add(set, first, last);
    } else if (ok && first <= LAST_CODE) {
        regex_add_one(r, set, first);
    } else if (ok) {
        code_set_join(set, &member.set);
    }
    code_set_free(&member.set);
    return ok;
}

static bool regex_take_meet(RegexReader *r, CodeSet *set) {
    CodeSet other = {0};
    bool ok = regex_take_class(r, &other);
    if (ok) code_set_meet(set, &other);
    code_set_free(&other);
    return ok;
}

static bool regex_take_class(RegexReader *r, CodeSet *set) {
    bool inverted = regex_take(r, "^");
    while (r->at < r->end && *r->at != ']') {
        bool meets = r->notation->meets && regex_take(r, "&&[");
        if (!(meets ? regex_take_meet(r, set) : regex_take_range(r, set))) return false;
    }
    if (!regex_take(r, "]")) return regex_wrong(r, "a [class] without its ]");
    if (inverted) code_set_invert(set);
    return true;
}

/* All characters but line ends. */
static void add_any(CodeSet *set) {
    code_set_add(set, '\n', '\n'), code_set_add(set, '\r', '\r');
    code_set_add(set, 0x2028, 0x2029);
    code_set_invert(set);
}

static bool regex_take_set(RegexReader *r, RegexNode *atom) {
    uint32_t one = LAST_CODE + 1;
    bool ok = true;
    if (regex_take(r, "["))
        ok = regex_take_class(r, &atom->set);
    else if (regex_take(r, "."))
        add_any(&atom->set);
    else
        ok = regex_take_member(r, false, atom, &one);
    if (ok && one <= LAST_CODE) regex_add_one(r, &atom->set, one);
    if (ok && r->notation->finish) r->notation->finish(r, &atom->set);
    return ok && (!atom->set.failed || regex_memory(r));
}

/* ------------------------------------------------------------------ the tree */

static bool is_quantifier(char c) { return c == '*' || c == '+' || c == '?'; }

static bool regex_take_alternatives(RegexReader *r, RegexNode *group);

static bool regex_take_group(RegexReader *r, RegexNode *group) {
    bool any_case = r->any_case;
    group->kind = REGEX_GROUP;
    if (regex_take(r, "?") && !regex_take(r, ":") && !r->notation->group(r, group))
        return false;
    if (++r->depth > MAX_DEPTH) return regex_wrong(r, "groups are nested too deeply");
    if (!regex_take_alternatives(r, group)) return false;
    r->depth--, r->any_case = any_case;
    return regex_take(r, ")") || regex_wrong(r, "a ( without its )");
}

static bool regex_take_atom(RegexReader *r, RegexNode *atom) {
    if (regex_take(r, "(")) return regex_take_group(r, atom);
    if (regex_take(r, "^")) return atom->kind = REGEX_BEGIN, true;
    if (regex_take(r, "$")) return atom->kind = REGEX_END, true;
    if (is_quantifier(*r->at))
        return regex_wrong(r, "nothing stands before this to be repeated");
    return regex_take_set(r, atom);
}

/* {m}, {m,}, {m,n}?  Any other brace is an ordinary character. */
static bool is_braces(const RegexReader *r) {
    const char *c = r->at;
    if (*c++ != '{' || c == r->end || *c < '0' || *c > '9') return false;
    while (c < r->end && *c >= '0' && *c <= '9') c++;
    if (c < r->end && *c == ',') c++;
    while (c < r->end && *c >= '0' && *c <= '9') c++;
    return c < r->end && *c == '}';
}

static bool regex_take_count(RegexReader *r, uint32_t *count) {
    uint64_t n = 0;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        n = n * 10 + (uint64_t)(*r->at - '0');
        if (n > MAX_REPEATS) return regex_wrong(r, "repeated more than 1000000000 times");
    }
    *count = (uint32_t)n;
    return true;
}

static bool regex_take_braces(RegexReader *r, RegexNode *atom) {
    r->at++;
    if (!regex_take_count(r, &atom->low)) return false;
    atom->high = atom->low;
    if (regex_take(r, ",")) {
        atom->high = REGEX_FOREVER;
        if (*r->at != '}' && !regex_take_count(r, &atom->high)) return false;
    }
    if (atom->high < atom->low) return regex_wrong(r, "{m,n} with n less than m");
    return regex_take(r, "}");
}

static bool regex_take_quantifier(RegexReader *r, RegexNode *atom) {
    if (r->at == r->end) return true;
    const char *from = r->at;
    if (regex_take(r, "*"))
        atom->low = 0, atom->high = REGEX_FOREVER;
    else if (regex_take(r, "+"))
        atom->high = REGEX_FOREVER;
    else if (regex_take(r, "?"))
        atom->low = 0;
    else if (is_braces(r)) {
        if (!regex_take_braces(r, atom)) return false;
    } else
        return true;
    if (atom->kind == REGEX_BEGIN || atom->kind == REGEX_END)
        return r->at = from, regex_wrong(r, "^ and $ cannot be repeated");
    atom->lazy = regex_take(r, "?");
    if (r->at < r->end && (is_quantifier(*r->at) || is_braces(r)))
        return regex_wrong(r, "one quantifier behind another");
    return true;
}

static bool regex_take_sequence(RegexReader *r, RegexNode *sequence) {
    while (r->at < r->end && *r->at != '|' && *r->at != ')') {
        RegexNode *atom = regex_child(r, sequence, REGEX_SET);
        if (!atom) return false;
        if (++r->nodes > REGEX_NODES) return regex_wrong(r, "too long");
        if (!regex_take_atom(r, atom) || !regex_take_quantifier(r, atom)) return false;
    }
    return true;
}

static bool regex_take_alternatives(RegexReader *r, RegexNode *group) {
    do {
        RegexNode *sequence = regex_child(r, group, REGEX_SEQUENCE);
        if (!sequence || !regex_take_sequence(r, sequence)) return false;
    } while (regex_take(r, "|"));
    return true;
}

RegexNode *regex_tree(Text source, const RegexNotation *notation, Fault *fault) {
    RegexReader r = {.at = source.data,
                     .end = source.data + source.size,
                     .begin = source.data,
                     .notation = notation,
                     .fault = fault};
    RegexNode *group = calloc(1, sizeof *group);
    if (!group) return regex_memory(&r), NULL;
    *group = (RegexNode){.kind = REGEX_GROUP, .low = 1, .high = 1};
    bool ok = regex_take_alternatives(&r, group);
    if (ok && r.at < r.end) ok = regex_wrong(&r, "a ) without its (");
    if (ok) return group;
    regex_tree_free(group);
    return NULL;
}
