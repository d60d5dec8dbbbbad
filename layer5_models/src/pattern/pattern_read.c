/* pattern_read.c - the source of a pattern as a tree.  See pattern.h.
 *
 *   either   := sequence ('|' sequence)*
 *   sequence := (item ('?' | '*' | '+' | '{' m '}' | '{' m ',' n '}')?)*
 *   item     := '(' ('?:' | '?i:' | '?=' | '?!')? either ')' | class | '$' | '\' letter | character
 *   class    := '[' '^'? (member | member '-' member)* ('&&' class)? ']' */
#include "pattern.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const char *source, *at, *end;
    Tree *tree;
    bool any_case;  /* inside (?i: */
    bool in_look;   /* inside a lookahead */
    bool collapsed; /* as llama.cpp, */
    bool narrow;    /* and the source has \p{ */
    Fault *fault;
} Reader;

static int32_t wrong(Reader *r, const char *what) {
    fault_set(r->fault, "the pattern '%.200s' cannot be used: %s at byte %zu", r->source, what,
              (size_t)(r->at - r->source));
    return -1;
}

static bool take(Reader *r, const char *wanted) {
    size_t size = strlen(wanted);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, wanted, size) != 0) return false;
    r->at += size;
    return true;
}

static uint32_t take_code(Reader *r) {
    size_t taken;
    uint32_t code = utf8_decode(r->at, (size_t)(r->end - r->at), &taken);
    r->at += taken;
    return code;
}

static int32_t add_node(Reader *r, Node node) {
    Tree *t = r->tree;
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        Node *nodes = realloc(t->nodes, t->capacity * sizeof *nodes);
        if (!nodes) return fault_set(r->fault, "no memory for a pattern"), -1;
        t->nodes = nodes;
    }
    t->nodes[t->count] = node;
    return (int32_t)t->count++;
}

/* ------------------------------------------------------------------ sets of characters */

/* What llama.cpp writes in place of a character above 127. */
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

static const struct {
    const char *name;
    unsigned categories;
} properties[] = {{"L", UNICODE_LETTERS},      {"Lu", 1 << UNICODE_LU},
                  {"Ll", 1 << UNICODE_LL},     {"Lt", 1 << UNICODE_LT},
                  {"Lm", 1 << UNICODE_LM},     {"Lo", 1 << UNICODE_LO},
                  {"M", 1 << UNICODE_MARK},    {"N", UNICODE_NUMBERS},
                  {"P", UNICODE_PUNCTUATIONS}, {"S", 1 << UNICODE_SYMBOL}};

/* The script Han.  Source   Unicode 14.0, Scripts.txt. */
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

static void add_categories(const Reader *r, CodeSet *set, unsigned wanted) {
    if (!r->narrow) {
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

static bool add_property(Reader *r, CodeSet *set) {
    if (take(r, "{Han}")) return add_han(set), true;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        size_t size = strlen(properties[i].name);
        if ((size_t)(r->end - r->at) < size + 2 || r->at[0] != '{' || r->at[size + 1] != '}' ||
            memcmp(r->at + 1, properties[i].name, size) != 0)
            continue;
        r->at += size + 2;
        return add_categories(r, set, properties[i].categories), true;
    }
    return wrong(r, "an unknown property of characters") >= 0;
}

static void add_spaces(const Reader *r, CodeSet *set) {
    if (r->collapsed)
        code_set_add(set, '\t', '\r'), code_set_add(set, ' ', ' ');
    else
        code_set_spaces(set, 0);
}

static void add_digits(const Reader *r, CodeSet *set) {
    if (r->collapsed)
        code_set_add(set, '0', '9');
    else
        code_set_categories(set, 1u << UNICODE_ND, 0);
}

static void add_word_characters(CodeSet *set) {
    code_set_categories(set, UNICODE_LETTERS | 1u << UNICODE_MARK | UNICODE_NUMBERS, 0);
    code_set_add(set, '_', '_');
}

/* After a backslash.  *one: the character it stands for, when it is one. */
static bool take_escape(Reader *r, CodeSet *set, uint32_t *one) {
    *one = LAST_CODE + 1;
    if (r->at == r->end) return wrong(r, "a backslash with nothing behind it") >= 0;
    char kind = *r->at;
    if (take(r, "p")) return add_property(r, set);
    if (take(r, "s")) return add_spaces(r, set), true;
    if (take(r, "S")) return add_spaces(r, set), code_set_invert(set), true;
    if (take(r, "d")) return add_digits(r, set), true;
    if ((kind | 32) >= 'a' && (kind | 32) <= 'z' && !strchr("rnt", kind))
        return wrong(r, "an escape that is not built in") >= 0;
    *one = kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind == 't' ? '\t' : (unsigned char)kind;
    r->at++;
    return true;
}

/* A set that was read, as the characters of text that it stands for. */
static void spread(const Reader *r, CodeSet *set) {
    if (!r->collapsed) return;
    CodeSet above = {0}, spaces = {0};
    code_set_spaces(&spaces, 128);
    if (r->narrow) {
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
    code_set_invert(&above); /* what is above 127 and no space */
    if (has_space) code_set_join(&above, &spaces);
    CodeSet ascii = {0};
    code_set_add(&ascii, 0, 127);
    code_set_meet(set, &ascii);
    code_set_join(set, &above);
    code_set_free(&above), code_set_free(&spaces), code_set_free(&ascii);
}

/* The number of a set in the tree, which takes it over. */
static int32_t add_set(Reader *r, CodeSet set) {
    Tree *t = r->tree;
    spread(r, &set);
    if (set.failed) {
        code_set_free(&set);
        return fault_set(r->fault, "no memory for a pattern"), -1;
    }
    for (size_t i = 0; i < t->n_sets; i++)
        if (code_set_equal(&t->sets[i], &set)) return code_set_free(&set), (int32_t)i;
    if (t->n_sets == MAX_SETS)
        return code_set_free(&set),
               wrong(r, "more classes of characters than there is room for");
    t->sets[t->n_sets] = set;
    return (int32_t)t->n_sets++;
}

static void add_character(const Reader *r, CodeSet *set, uint32_t code) {
    code_set_add(set, code, code);
    if (!r->any_case || code >= 128 || (code | 32) < 'a' || (code | 32) > 'z') return;
    code_set_add(set, code ^ 32, code ^ 32);
    if ((code | 32) == 's') code_set_add(set, 0x17F, 0x17F);   /* the long s */
    if ((code | 32) == 'k') code_set_add(set, 0x212A, 0x212A); /* the sign for Kelvin */
}

/* A member of a class; *one as in take_escape. */
static bool take_member(Reader *r, CodeSet *set, uint32_t *one) {
    if (take(r, "\\")) return take_escape(r, set, one);
    *one = take_code(r);
    return true;
}

static bool take_class(Reader *r, CodeSet *set) {
    bool negative = take(r, "^"), ok = true;
    while (ok && r->at < r->end && *r->at != ']') {
        uint32_t first, last;
        if (take(r, "&&[")) {
            CodeSet other = {0};
            ok = take_class(r, &other);
            code_set_meet(set, &other);
            code_set_free(&other);
            continue;
        }
        ok = take_member(r, set, &first);
        if (!ok || first > LAST_CODE) continue;
        last = first;
        if (r->end - r->at > 1 && r->at[0] == '-' && r->at[1] != ']')
            r->at++, ok = take_member(r, set, &last);
        if (ok && (last > LAST_CODE || last < first)) ok = wrong(r, "no range") >= 0;
        if (ok && first == last)
            add_character(r, set, first);
        else if (ok)
            code_set_add(set, first, last);
    }
    if (ok && !take(r, "]")) ok = wrong(r, "a class without its end") >= 0;
    if (negative) code_set_invert(set);
    return ok;
}

/* ------------------------------------------------------------------ the tree */

static int32_t take_either(Reader *r);

static int32_t set_node(Reader *r, CodeSet set, bool ok) {
    if (!ok) return code_set_free(&set), -1;
    int32_t index = add_set(r, set);
    return index < 0 ? -1 : add_node(r, (Node){.kind = NODE_SET, .a = index});
}

/* (?=X) and (?!X): of one character, or else the far one. */
static int32_t take_look(Reader *r, bool negative) {
    r->in_look = true;
    int32_t inside = take_either(r);
    r->in_look = false;
    if (inside < 0) return -1;
    if (!take(r, ")")) return wrong(r, "a group without its end");
    if (r->tree->nodes[inside].kind == NODE_SET)
        return add_node(
            r, (Node){.kind = NODE_LOOK, .a = r->tree->nodes[inside].a, .negative = negative});
    if (negative || r->tree->far >= 0)
        return wrong(r, "a second lookahead of more than a character");
    r->tree->far = inside;
    return add_node(r, (Node){.kind = NODE_LOOK_FAR});
}

static int32_t take_group(Reader *r) {
    bool before = r->any_case;
    if (take(r, "?=")) return take_look(r, false);
    if (take(r, "?!")) return take_look(r, true);
    if (take(r, "?i:"))
        r->any_case = true;
    else if (!take(r, "?:") && r->at < r->end && *r->at == '?')
        return wrong(r, "a group of a kind that is not built in");
    int32_t inside = take_either(r);
    r->any_case = before;
    return inside < 0 || take(r, ")") ? inside : wrong(r, "a group without its end");
}

static int32_t take_edge(Reader *r) {
    CodeSet set = {0};
    if (!r->in_look) return wrong(r, "\\b outside a lookahead");
    add_word_characters(&set);
    r->tree->word_set = add_set(r, set);
    return r->tree->word_set < 0 ? -1 : add_node(r, (Node){.kind = NODE_EDGE});
}

static int32_t take_item(Reader *r) {
    CodeSet set = {0};
    uint32_t code;
    if (take(r, "(")) return take_group(r);
    if (take(r, "$")) return add_node(r, (Node){.kind = NODE_END});
    if (take(r, "\\b")) return take_edge(r);
    if (take(r, "[")) {
        bool ok = take_class(r, &set);
        return set_node(r, set, ok);
    }
    if (strchr("?*+{", *r->at)) return wrong(r, "a repetition of nothing");
    if (strchr(".^", *r->at)) return wrong(r, "a sign that is not built in");
    bool ok = take_member(r, &set, &code);
    if (ok && code <= LAST_CODE) add_character(r, &set, code);
    return set_node(r, set, ok);
}

static int take_number(Reader *r) {
    int value = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && value < 10000)
        value = 10 * value + (*r->at++ - '0');
    return value;
}

static int32_t take_repeat(Reader *r, int32_t item) {
    Node node = {.kind = NODE_REPEAT, .a = item, .max = -1};
    if (take(r, "?"))
        node.max = 1;
    else if (take(r, "+"))
        node.min = 1;
    else if (take(r, "{")) {
        node.min = node.max = take_number(r);
        if (take(r, ",")) node.max = take_number(r);
        if (!take(r, "}") || node.max < node.min) return wrong(r, "no repetition");
    } else if (!take(r, "*")) {
        return item;
    }
    if (r->at < r->end && strchr("?+*{", *r->at))
        return wrong(r, "a repetition of a kind that is not built in");
    return add_node(r, node);
}

static int32_t take_sequence(Reader *r) {
    int32_t all = -1;
    while (r->at < r->end && *r->at != '|' && *r->at != ')') {
        int32_t item = take_item(r);
        if (item >= 0) item = take_repeat(r, item);
        if (item < 0) return -1;
        all = all < 0 ? item : add_node(r, (Node){.kind = NODE_THEN, .a = all, .b = item});
        if (all < 0) return -1;
    }
    return all < 0 ? add_node(r, (Node){.kind = NODE_EMPTY}) : all;
}

static int32_t take_either(Reader *r) {
    int32_t first = take_sequence(r);
    if (first < 0 || !take(r, "|")) return first;
    int32_t second = take_either(r);
    return second < 0 ? -1 : add_node(r, (Node){.kind = NODE_EITHER, .a = first, .b = second});
}

bool pattern_read(Tree *tree, const char *source, bool as_collapsed, Fault *fault) {
    *tree = (Tree){.far = -1, .word_set = -1};
    Reader r = {.source = source,
                .at = source,
                .end = source + strlen(source),
                .tree = tree,
                .collapsed = as_collapsed,
                .narrow = as_collapsed && strstr(source, "\\p{"),
                .fault = fault};
    tree->root = take_either(&r);
    if (tree->root < 0) return false;
    return r.at == r.end || wrong(&r, "a group that was not begun") >= 0;
}

void pattern_tree_free(Tree *tree) {
    for (size_t i = 0; i < tree->n_sets; i++) code_set_free(&tree->sets[i]);
    free(tree->nodes);
    *tree = (Tree){0};
}
