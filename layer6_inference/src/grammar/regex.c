/* regex.c - from regular expression to automaton: the first half, a tree.  The second half is
 * expr_derive.
 *
 *     alternatives := sequence ('|' sequence)*
 *     sequence     := (atom quantifier?)*
 *     atom         := character | escape | [class] | . | ^ | $ | (alternatives)
 *
 * Invariant: what is accepted here has the meaning of ECMA-262 with the u flag, and, as without it, a brace
 * that begins no quantifier stands for itself; all else is refused by name. */
#include "regex.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum NodeKind { NODE_SET, NODE_BEGIN, NODE_END, NODE_GROUP, NODE_SEQUENCE } NodeKind;

/* A group's children are sequences, a sequence's children atoms. */
typedef struct Node {
    NodeKind kind;
    CharSet set;
    uint32_t low, high; /* of an atom: how often */
    struct Node **child;
    size_t count, room;
} Node;

typedef struct Reader {
    const char *at, *end, *begin;
    int depth;
    size_t nodes;
    Fault *fault;
} Reader;

enum { DEPTH = 250, NODES = 200000, REPEATS = 1000000000 };

static bool wrong(const Reader *r, const char *what) {
    long rest = r->end - r->at;
    if (rest == 0) return fault_set(r->fault, "regular expression, at its end: %s", what);
    return fault_set(r->fault, "regular expression, character %ld: %s, at '%.*s'",
                     (long)(r->at - r->begin) + 1, what, (int)(rest < 20 ? rest : 20), r->at);
}

static Node *node_new(NodeKind kind) {
    Node *node = calloc(1, sizeof *node);
    REQUIRE(node, "no memory for a regular expression");
    node->kind = kind, node->low = node->high = 1;
    return node;
}

static void node_free(Node *node) {
    if (!node) return;
    for (size_t i = 0; i < node->count; i++) node_free(node->child[i]);
    free(node->child);
    charset_free(&node->set);
    free(node);
}

static void node_add(Node *node, Node *child) {
    if (node->count == node->room) {
        node->room = node->room ? 2 * node->room : 4;
        node->child = realloc(node->child, node->room * sizeof(Node *));
        REQUIRE(node->child, "no memory for a regular expression");
    }
    node->child[node->count++] = child;
}

/* ------------------------------------------------------------------ characters and classes */

static bool next_is(const Reader *r, const char *text) {
    size_t size = strlen(text);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, text, size) == 0;
}

static bool take(Reader *r, char c) {
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool is_quantifier(char c) { return c == '*' || c == '+' || c == '?'; }

static bool take_char(Reader *r, uint32_t *c) {
    size_t taken;
    *c = utf8_decode(r->at, (size_t)(r->end - r->at), &taken);
    if (*c == 0xFFFD && taken == 1) return wrong(r, "these bytes are no UTF-8");
    r->at += taken;
    return true;
}

static bool take_hex(Reader *r, int digits, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < digits; i++, r->at++) {
        char c = r->at < r->end ? *r->at : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return wrong(r, "wanted a hexadecimal digit");
        *value = *value * 16 + (uint32_t)digit;
    }
    return true;
}

/* \u00e9, \u{1F600}, or a pair of surrogates. */
static bool take_u(Reader *r, uint32_t *c) {
    uint32_t low;
    if (take(r, '{')) {
        for (*c = 0; r->at < r->end && *r->at != '}' && *c <= 0x10FFFF;) {
            if (!take_hex(r, 1, &low)) return false;
            *c = *c * 16 + low;
        }
        if (*c > 0x10FFFF) return wrong(r, "there is no such character");
        return take(r, '}') || wrong(r, "wanted a }");
    }
    if (!take_hex(r, 4, c)) return false;
    if (*c < 0xD800 || *c > 0xDBFF || !next_is(r, "\\u")) return true;
    r->at += 2;
    if (!take_hex(r, 4, &low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return wrong(r, "half of a pair of surrogates");
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

/* \p{L} and the like. */
static bool take_property(Reader *r, CharSet *set) {
    static const struct {
        const char *name;
        unsigned categories;
    } known[] = {{"L", UNICODE_LETTERS},      {"Letter", UNICODE_LETTERS},
                 {"N", UNICODE_NUMBERS},      {"Number", UNICODE_NUMBERS},
                 {"P", UNICODE_PUNCTUATIONS}, {"Punctuation", UNICODE_PUNCTUATIONS}};
    const char *from = r->at;
    if (!take(r, '{')) return wrong(r, "wanted \\p{...}");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t size = strlen(known[i].name);
        if (!next_is(r, known[i].name) || r->at + size >= r->end || r->at[size] != '}')
            continue;
        r->at += size + 1;
        add_categories(set, known[i].categories);
        return true;
    }
    r->at = from;
    return wrong(r, "this property of characters is not supported (L, N and P are)");
}

/* \d and the like: the class that follows a backslash as `kind`, if there is one (*many). */
static bool take_class_escape(Reader *r, char kind, CharSet *set, bool *many) {
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

static bool refuse_escape(Reader *r, char kind) {
    r->at -= 2;
    return wrong(r, (kind >= '1' && kind <= '9') || kind == 'k'
                        ? "backreferences are not regular"
                    : kind == 'b' || kind == 'B' ? "word boundaries are not supported"
                                                 : "no such escape");
}

/* \n, \x41, \u0041, \cA, \. and the like: one character. */
static bool take_character_escape(Reader *r, char kind, uint32_t *c) {
    static const char plain[] = "^$\\.*+?()[]{}|/-\"' #&,:;<=>@%!~`_";
    static const char letters[] = "tnrfv0", codes[] = "\t\n\r\f\v\0";
    const char *letter = kind ? strchr(letters, kind) : NULL;
    if (kind == 'x') return take_hex(r, 2, c);
    if (kind == 'u') return take_u(r, c);
    if (kind == 'c' && r->at < r->end && (*r->at | 32) >= 'a' && (*r->at | 32) <= 'z')
        return *c = (uint32_t)(*r->at++ & 31), true;
    if (kind == '0' && r->at < r->end && *r->at >= '0' && *r->at <= '9')
        return r->at -= 2, wrong(r, "octal escapes are not supported");
    if (letter) return *c = (uint8_t)codes[letter - letters], true;
    if (kind && strchr(plain, kind)) return *c = (uint8_t)kind, true;
    return refuse_escape(r, kind);
}

/* After a backslash: a class (*many), or a character. */
static bool take_escape(Reader *r, CharSet *set, bool *many) {
    uint32_t c = 0;
    if (r->at == r->end) return wrong(r, "a backslash at the end");
    char kind = *r->at++;
    if (!take_class_escape(r, kind, set, many)) return false;
    if (*many) return true;
    if (!take_character_escape(r, kind, &c)) return false;
    charset_add(set, c, c);
    return true;
}

/* One member of a [class]: a character or an escape. */
static bool take_member(Reader *r, CharSet *set, bool *many) {
    uint32_t c;
    *many = false;
    if (take(r, '\\')) {
        if (take(r, 'b')) return charset_add(set, 8, 8), true; /* a backspace, in a class */
        return take_escape(r, set, many);
    }
    if (!take_char(r, &c)) return false;
    charset_add(set, c, c);
    return true;
}

static bool take_range(Reader *r, CharSet *set) {
    CharSet first = {0}, last = {0};
    bool many = false, many_too = false;
    bool ok = take_member(r, &first, &many);
    bool range = ok && r->end - r->at >= 2 && *r->at == '-' && r->at[1] != ']';
    if (range) {
        r->at++;
        ok = take_member(r, &last, &many_too);
        if (ok && (many || many_too)) ok = wrong(r, "a range from or to a class of characters");
        if (ok && first.range[0].first > last.range[0].first)
            ok = wrong(r, "a range that ends before it begins");
        if (ok) charset_add(set, first.range[0].first, last.range[0].first);
    } else if (ok) {
        charset_add_all(set, &first);
    }
    charset_free(&first), charset_free(&last);
    return ok;
}

static bool take_class(Reader *r, CharSet *set) {
    bool inverted = take(r, '^');
    while (r->at < r->end && *r->at != ']')
        if (!take_range(r, set)) return false;
    if (!take(r, ']')) return wrong(r, "a [class] without its ]");
    inverted ? charset_invert(set) : charset_tidy(set);
    return true;
}

/* ------------------------------------------------------------------ the tree */

static bool take_alternatives(Reader *r, Node *group);

/* After an opening parenthesis. */
static bool take_group(Reader *r, Node *group) {
    if (take(r, '?')) {
        if (take(r, ':')) { /* does not capture: nothing here does */
        } else if (next_is(r, "<") && !next_is(r, "<=") && !next_is(r, "<!")) {
            while (r->at < r->end && *r->at != '>' && *r->at != ')') r->at++;
            if (!take(r, '>')) return wrong(r, "a group's name without its >");
        } else {
            return wrong(r, "look-around, atomic groups and flags are not supported");
        }
    }
    if (++r->depth > DEPTH) return wrong(r, "groups are nested too deeply");
    if (!take_alternatives(r, group)) return false;
    r->depth--;
    return take(r, ')') || wrong(r, "a ( without its )");
}

static bool take_atom(Reader *r, Node *atom) {
    bool many;
    uint32_t c;
    if (take(r, '(')) return atom->kind = NODE_GROUP, take_group(r, atom);
    if (take(r, '^')) return atom->kind = NODE_BEGIN, true;
    if (take(r, '$')) return atom->kind = NODE_END, true;
    if (take(r, '[')) return take_class(r, &atom->set);
    if (take(r, '.')) {
        static const CharRange ends[] = {{10, 10}, {13, 13}, {0x2028, 0x2029}};
        for (int i = 0; i < 3; i++) charset_add(&atom->set, ends[i].first, ends[i].last);
        charset_invert(&atom->set);
        return true;
    }
    if (is_quantifier(*r->at)) return wrong(r, "nothing stands before this to be repeated");
    if (take(r, '\\')) {
        bool ok = take_escape(r, &atom->set, &many);
        charset_tidy(&atom->set);
        return ok;
    }
    if (!take_char(r, &c)) return false;
    charset_add(&atom->set, c, c);
    charset_tidy(&atom->set);
    return true;
}

/* {m}, {m,}, {m,n}: is it one?  A brace that is none is a character like any other. */
static bool is_braces(const Reader *r) {
    const char *c = r->at;
    if (c == r->end || *c++ != '{' || c == r->end || *c < '0' || *c > '9') return false;
    while (c < r->end && *c >= '0' && *c <= '9') c++;
    if (c < r->end && *c == ',') c++;
    while (c < r->end && *c >= '0' && *c <= '9') c++;
    return c < r->end && *c == '}';
}

static bool take_count(Reader *r, uint32_t *count) {
    uint64_t n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        n = n * 10 + (uint64_t)(*r->at - '0');
        if (n > REPEATS) return wrong(r, "repeated more than 1000000000 times");
    }
    *count = (uint32_t)n;
    return true;
}

static bool take_braces(Reader *r, Node *atom) {
    r->at++;
    if (!take_count(r, &atom->low)) return false;
    atom->high = atom->low;
    if (take(r, ',')) {
        atom->high = EXPR_FOREVER;
        if (*r->at != '}' && !take_count(r, &atom->high)) return false;
    }
    if (atom->high < atom->low) return wrong(r, "{m,n} with n less than m");
    return take(r, '}');
}

static bool take_quantifier(Reader *r, Node *atom) {
    if (r->at == r->end) return true;
    const char *from = r->at;
    if (take(r, '*'))
        atom->low = 0, atom->high = EXPR_FOREVER;
    else if (take(r, '+'))
        atom->high = EXPR_FOREVER;
    else if (take(r, '?'))
        atom->low = 0;
    else if (is_braces(r)) {
        if (!take_braces(r, atom)) return false;
    } else
        return true;
    if (atom->kind == NODE_BEGIN || atom->kind == NODE_END)
        return r->at = from, wrong(r, "^ and $ cannot be repeated");
    take(r, '?'); /* as few as possible: the same texts */
    if (r->at < r->end && (is_quantifier(*r->at) || is_braces(r)))
        return wrong(r, "one quantifier behind another");
    return true;
}

static bool take_sequence(Reader *r, Node *sequence) {
    while (r->at < r->end && *r->at != '|' && *r->at != ')') {
        Node *atom = node_new(NODE_SET);
        node_add(sequence, atom);
        if (++r->nodes > NODES) return wrong(r, "too long");
        if (!take_atom(r, atom) || !take_quantifier(r, atom)) return false;
    }
    return true;
}

static bool take_alternatives(Reader *r, Node *group) {
    do {
        Node *sequence = node_new(NODE_SEQUENCE);
        node_add(group, sequence);
        if (!take_sequence(r, sequence)) return false;
    } while (take(r, '|'));
    return true;
}

/* ------------------------------------------------------------------ the expression */

static bool has_anchor(const Node *node) {
    if (node->kind == NODE_BEGIN || node->kind == NODE_END) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_anchor(node->child[i])) return true;
    return false;
}

typedef struct Writer {
    ExprStore *store;
    const RegexOptions *options;
    Expr anything; /* what may stand before and after, when it is searched for */
    size_t made;
    Fault *fault;
} Writer;

static Expr write_group(Writer *w, const Node *group);

static Expr write_atom(Writer *w, const Node *atom) {
    Expr e = atom->kind == NODE_GROUP ? write_group(w, atom)
                                      : w->options->write(w->store, &atom->set);
    return expr_repeat(w->store, e, atom->low, atom->high);
}

static Expr write_sequence(Writer *w, Node *const *atom, size_t count) {
    Expr e = EXPR_EMPTY;
    while (count > 0) e = expr_cat(w->store, write_atom(w, atom[--count]), e);
    return e;
}

static Expr write_group(Writer *w, const Node *group) {
    Expr e = EXPR_NONE;
    for (size_t i = 0; i < group->count; i++)
        e = expr_either(w->store, e,
                        write_sequence(w, group->child[i]->child, group->child[i]->count));
    return e;
}

static bool write_edges(Writer *w, Node **atom, size_t count, bool begun, bool ended,
                        Expr *out);

/* A group at an edge that holds anchors: each of its alternatives by itself, with the rest. */
static bool write_spread(Writer *w, Node **atom, size_t count, size_t which, bool begun,
                         bool ended, Expr *out) {
    const Node *group = atom[which];
    *out = EXPR_NONE;
    if (group->low != 1 || group->high != 1)
        return fault_set(w->fault,
                         "regular expression: ^ or $ inside something repeated is not "
                         "supported");
    for (size_t i = 0; i < group->count; i++) {
        const Node *one = group->child[i];
        size_t all = count - 1 + one->count;
        Node **spread = malloc((all + 1) * sizeof *spread);
        REQUIRE(spread, "no memory for a regular expression");
        memcpy(spread, atom, which * sizeof *spread);
        if (one->count) memcpy(spread + which, one->child, one->count * sizeof *spread);
        memcpy(spread + which + one->count, atom + which + 1,
               (count - which - 1) * sizeof *spread);
        Expr e;
        bool ok = write_edges(w, spread, all, begun, ended, &e);
        free(spread);
        if (!ok) return false;
        *out = expr_either(w->store, *out, e);
    }
    return true;
}

/* A sequence from one end of the text to the other: begun, when a ^ was read; ended, a $. */
static bool write_edges(Writer *w, Node **atom, size_t count, bool begun, bool ended,
                        Expr *out) {
    if (++w->made > NODES) return fault_set(w->fault, "regular expression: too many ways");
    while (count > 0 && atom[0]->kind == NODE_BEGIN) begun = true, atom++, count--;
    while (count > 0 && atom[count - 1]->kind == NODE_END) ended = true, count--;
    for (size_t i = 0; i < count; i++) {
        if (!has_anchor(atom[i])) continue;
        if (atom[i]->kind == NODE_GROUP && (i == 0 || i == count - 1))
            return write_spread(w, atom, count, i, begun, ended, out);
        return fault_set(w->fault,
                         "regular expression: ^ and $ are supported at the ends of an "
                         "alternative, not in the middle");
    }
    *out = write_sequence(w, atom, count);
    if (!begun) *out = expr_cat(w->store, w->anything, *out);
    if (!ended) *out = expr_cat(w->store, *out, w->anything);
    return true;
}

static Expr anything(ExprStore *store, const RegexOptions *options) {
    CharSet all = {0};
    if (!options->search) return EXPR_EMPTY;
    charset_add(&all, 0, 0x10FFFF);
    charset_tidy(&all);
    Expr e = expr_repeat(store, options->write(store, &all), 0, EXPR_FOREVER);
    charset_free(&all);
    return e;
}

bool regex_read(ExprStore *store, Text source, const RegexOptions *options, Expr *expr,
                Fault *fault) {
    Reader r = {source.data, source.data + source.size, source.data, 0, 0, fault};
    Node *group = node_new(NODE_GROUP), *all[1] = {group};
    bool ok = take_alternatives(&r, group);
    if (ok && r.at < r.end) ok = wrong(&r, "a ) without its (");
    if (ok) {
        Writer w = {store, options, anything(store, options), 0, fault};
        ok = has_anchor(group)
                 ? write_edges(&w, all, 1, false, false, expr)
                 : (*expr = expr_cat(store, w.anything,
                                     expr_cat(store, write_group(&w, group), w.anything)),
                    true);
    }
    node_free(group);
    return ok;
}
