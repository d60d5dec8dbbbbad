/* gbnf.c - llama.cpp's notation for grammars.
 *
 *     root  ::= "(" root ")" | word+        # rules; a newline ends one, but not inside parentheses
 *     word  ::= [a-z]{1,8} [^\x00-\x7F]?    # sets of characters; how often
 *
 *     grammar      := (name "::=" alternatives newline)*
 *     alternatives := sequence ("|" sequence)*
 *     sequence     := (atom quantifier*)*
 *     atom         := "text" | [set] | . | name | (alternatives) | <token> | !<token>
 *
 * Invariant: what llama.cpp loads and we load is the same set of texts. */
#include "gbnf.h"
#include "charset.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 250, REPEATS = 2000, ITEMS = 100000, NAME = 100 };

/* Where a rule was named first, and whether it has a body. */
typedef struct Named {
    const char *at;
    int line;
    long column;
    bool defined;
} Named;

typedef struct Reader {
    ExprStore *store;
    const Tokenizer *tokenizer;
    const char *at, *end, *line_begin;
    int line, depth;
    size_t items;
    Named *named; /* (n_rule) */
    uint32_t first_rule, named_room;
    Fault *fault;
} Reader;

static bool wrong(const Reader *r, const char *what) {
    char found[48] = "the end of the grammar";
    size_t rest = (size_t)(r->end - r->at), line = 0;
    while (line < rest && line < 20 && r->at[line] != '\n') line++;
    if (line > 0)
        snprintf(found, sizeof found, "'%.*s'", (int)line, r->at);
    else if (rest > 0)
        snprintf(found, sizeof found, "the end of the line");
    return fault_set(r->fault, "grammar, line %d, column %ld: %s, got %s", r->line,
                     (long)(r->at - r->line_begin) + 1, what, found);
}

static bool at_char(const Reader *r, char c) { return r->at < r->end && *r->at == c; }

static bool take(Reader *r, char c) {
    if (!at_char(r, c)) return false;
    r->at++;
    return true;
}

static void take_line_end(Reader *r) {
    r->at++;
    r->line++, r->line_begin = r->at;
}

/* Blanks and comments; newlines, too, where a rule goes on behind them. */
static void skip(Reader *r, bool newlines) {
    while (r->at < r->end) {
        if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n') r->at++;
        else if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        else if (*r->at == '\n' && newlines)
            take_line_end(r);
        else
            return;
    }
}

/* ------------------------------------------------------------------ names */

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-';
}

static bool take_name(Reader *r, char name[NAME]) {
    size_t size = 0;
    while (r->at + size < r->end && is_name(r->at[size])) size++;
    if (size == 0) return wrong(r, "wanted the name of a rule (letters, digits and -)");
    if (size >= NAME) return wrong(r, "this name is too long");
    memcpy(name, r->at, size);
    name[size] = 0;
    r->at += size;
    return true;
}

/* The rule of that name; a new one when it is met first. */
static uint32_t rule_of(Reader *r, const char *name, const char *at) {
    ExprStore *s = r->store;
    for (uint32_t i = r->first_rule; i < s->n_rule; i++)
        if (strcmp(s->rule[i].name, name) == 0) return i;
    uint32_t rule = expr_rule(s, name);
    if (rule - r->first_rule >= r->named_room) {
        r->named_room = r->named_room ? 2 * r->named_room : 64;
        r->named = realloc(r->named, r->named_room * sizeof *r->named);
        REQUIRE(r->named, "no memory for a grammar");
    }
    r->named[rule - r->first_rule] =
        (Named){at, r->line, (long)(at - r->line_begin) + 1, false};
    return rule;
}

/* ------------------------------------------------------------------ characters */

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
    if (*value > 0x10FFFF) return wrong(r, "there is no such character before here");
    return true;
}

static bool take_char(Reader *r, uint32_t *c) {
    size_t taken;
    if (r->at == r->end || *r->at == '\n') return wrong(r, "wanted a character");
    if (!take(r, '\\')) {
        *c = utf8_decode(r->at, (size_t)(r->end - r->at), &taken);
        if (*c == 0xFFFD && taken == 1) return wrong(r, "these bytes are no UTF-8");
        r->at += taken;
        return true;
    }
    char kind = r->at < r->end ? *r->at : 0;
    r->at += kind != 0;
    switch (kind) {
    case 'x': return take_hex(r, 2, c);
    case 'u': return take_hex(r, 4, c);
    case 'U': return take_hex(r, 8, c);
    case 't': return *c = '\t', true;
    case 'r': return *c = '\r', true;
    case 'n': return *c = '\n', true;
    case '\\':
    case '"':
    case '[':
    case ']': return *c = (uint8_t)kind, true;
    default: break;
    }
    r->at -= kind ? 2 : 1;
    return wrong(r, "wanted one of the escapes \\t \\r \\n \\\\ \\\" \\[ \\] \\xHH \\uHHHH "
                    "\\UHHHHHHHH");
}

/* Expressions in a row. */
typedef struct Items {
    Expr *of;
    size_t count, room;
} Items;

static bool add_item(Reader *r, Items *items, Expr e) {
    if (++r->items > ITEMS) return wrong(r, "the grammar is too large");
    if (items->count == items->room) {
        items->room = items->room ? 2 * items->room : 8;
        items->of = realloc(items->of, items->room * sizeof *items->of);
        REQUIRE(items->of, "no memory for a grammar");
    }
    items->of[items->count++] = e;
    return true;
}

/* One after the other.  The items are freed. */
static Expr chain_items(Reader *r, Items *items) {
    Expr e = EXPR_EMPTY;
    while (items->count > 0) e = expr_cat(r->store, items->of[--items->count], e);
    free(items->of);
    *items = (Items){0};
    return e;
}

static bool take_text(Reader *r, Expr *e) {
    Items items = {0};
    uint32_t c;
    bool ok = true;
    while (ok && !at_char(r, '"'))
        ok = take_char(r, &c) && add_item(r, &items, char_utf8(r->store, c));
    *e = chain_items(r, &items);
    return ok && (take(r, '"') || wrong(r, "wanted a \""));
}

static bool take_set(Reader *r, Expr *e) {
    CharSet set = {0};
    bool inverted = take(r, '^'), ok = true;
    while (ok && !at_char(r, ']')) {
        uint32_t first, last;
        ok = take_char(r, &first);
        last = first;
        if (ok && at_char(r, '-') && r->end - r->at > 1 && r->at[1] != ']') {
            r->at++;
            ok = take_char(r, &last);
            if (ok && last < first) ok = wrong(r, "a range that ends before it begins");
        }
        if (ok) charset_add(&set, first, last);
    }
    if (ok && set.count == 0 && !inverted) ok = wrong(r, "an empty set allows nothing");
    if (ok) ok = take(r, ']') || wrong(r, "wanted a ]");
    inverted ? charset_invert(&set) : charset_tidy(&set);
    *e = charset_utf8(r->store, &set);
    charset_free(&set);
    return ok;
}

/* ------------------------------------------------------------------ tokens */

static Expr token_expr(ExprStore *s, uint32_t id) {
    uint8_t bytes[4] = {TOKEN_MARK, (uint8_t)(id >> 16), (uint8_t)(id >> 8), (uint8_t)id};
    return expr_text(s, (const char *)bytes, 4);
}

/* Any token but one: they differ in one of their three bytes. */
static Expr other_tokens(ExprStore *s, uint32_t id) {
    ByteSet all;
    memset(&all, 0xFF, sizeof all);
    Expr any = expr_bytes(s, &all), same = expr_byte(s, TOKEN_MARK), out = EXPR_NONE;
    for (int place = 0; place < 3; place++) {
        uint8_t byte = (uint8_t)(id >> (16 - 8 * place));
        ByteSet others = all;
        others.word[byte >> 6] &= ~((uint64_t)1 << (byte & 63));
        Expr tail = expr_repeat(s, any, (uint32_t)(2 - place), (uint32_t)(2 - place));
        out = expr_either(s, out, expr_cat(s, same, expr_cat(s, expr_bytes(s, &others), tail)));
        same = expr_cat(s, same, expr_byte(s, byte));
    }
    return out;
}

/* <[123]> or <text>; the < is taken. */
static bool take_token(Reader *r, uint32_t *id) {
    const char *from = r->at;
    while (r->at < r->end && *r->at != '>' && *r->at != '\n') r->at++;
    if (!at_char(r, '>')) return wrong(r, "wanted the > of a token");
    size_t size = (size_t)(r->at++ - from);
    if (size > 2 && size < 12 && from[0] == '[' && from[size - 1] == ']') {
        char digits[16] = "", *end;
        memcpy(digits, from + 1, size - 2);
        long value = strtol(digits, &end, 10);
        *id = (uint32_t)value;
        if (*end == 0 && value >= 0 && value < 1 << 24) return true;
        return r->at = from, wrong(r, "wanted the number of a token, as in <[123]>");
    }
    if (!r->tokenizer)
        return r->at = from, wrong(r, "<text> needs a model's tokenizer; <[123]> does not");
    TokenList tokens = {0};
    Text text = {from - 1, size + 2};
    bool ok = tokenizer_encode(r->tokenizer, text, true, &tokens, r->fault);
    bool one = ok && tokens.count == 1;
    if (one) *id = (uint32_t)tokens.ids[0];
    token_list_free(&tokens);
    if (ok && !one) return r->at = from, wrong(r, "this text is not one token of the model");
    return ok;
}

/* ------------------------------------------------------------------ rules */

static bool take_alternatives(Reader *r, Expr *e, bool nested);

static bool take_atom(Reader *r, Expr *e) {
    char name[NAME];
    uint32_t id;
    const char *from = r->at;
    if (take(r, '"')) return take_text(r, e);
    if (take(r, '[')) return take_set(r, e);
    if (take(r, '.')) {
        CharSet all = {0};
        charset_invert(&all);
        *e = charset_utf8(r->store, &all);
        charset_free(&all);
        return true;
    }
    if (take(r, '(')) {
        if (++r->depth > DEPTH) return wrong(r, "parentheses are nested too deeply");
        skip(r, true);
        if (!take_alternatives(r, e, true)) return false;
        r->depth--;
        return take(r, ')') || wrong(r, "wanted a )");
    }
    if (take(r, '<')) {
        if (!take_token(r, &id)) return false;
        return *e = token_expr(r->store, id), true;
    }
    if (take(r, '!')) {
        if (!take(r, '<')) return wrong(r, "wanted a token, as in !<[123]>");
        if (!take_token(r, &id)) return false;
        return *e = other_tokens(r->store, id), true;
    }
    if (!take_name(r, name)) return false;
    *e = expr_call(r->store, rule_of(r, name, from));
    return true;
}

static bool take_count(Reader *r, uint32_t *count) {
    const char *from = r->at;
    for (*count = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (*count <= REPEATS) *count = *count * 10 + (uint32_t)(*r->at - '0');
    if (r->at == from) return wrong(r, "wanted a number");
    if (*count > REPEATS) return r->at = from, wrong(r, "repeated more than 2000 times");
    return true;
}

/* {m}, {m,}, {m,n}; the { is taken. */
static bool take_braces(Reader *r, uint32_t *low, uint32_t *high) {
    skip(r, false);
    if (!take_count(r, low)) return false;
    *high = *low;
    skip(r, false);
    if (take(r, ',')) {
        skip(r, false);
        *high = EXPR_FOREVER;
        if (!at_char(r, '}') && !take_count(r, high)) return false;
        skip(r, false);
    }
    if (*high < *low) return wrong(r, "{m,n} with n less than m");
    return take(r, '}') || wrong(r, "wanted a }");
}

static bool take_quantifiers(Reader *r, Expr *e, bool nested) {
    for (;;) {
        uint32_t low = 0, high = EXPR_FOREVER;
        skip(r, nested);
        if (take(r, '+'))
            low = 1;
        else if (take(r, '?'))
            high = 1;
        else if (take(r, '{')) {
            if (!take_braces(r, &low, &high)) return false;
        } else if (!take(r, '*'))
            return true;
        *e = expr_repeat(r->store, *e, low, high);
    }
}

/* Does a sequence go on here? */
static bool begins_atom(const Reader *r) {
    return r->at < r->end && (strchr("\"[.(<!", *r->at) || is_name(*r->at));
}

static bool take_sequence(Reader *r, Expr *e, bool nested) {
    Items items = {0};
    bool ok = true;
    while (ok && begins_atom(r)) {
        Expr atom;
        ok = take_atom(r, &atom) && take_quantifiers(r, &atom, nested) &&
             add_item(r, &items, atom);
    }
    *e = chain_items(r, &items);
    return ok;
}

static bool take_alternatives(Reader *r, Expr *e, bool nested) {
    Items items = {0};
    bool ok = true, more = true;
    while (ok && more) {
        Expr one;
        ok = take_sequence(r, &one, nested) && add_item(r, &items, one);
        more = ok && take(r, '|');
        if (more) skip(r, true);
    }
    *e = expr_alt(r->store, items.of, items.count);
    free(items.of);
    return ok;
}

static bool take_rule(Reader *r) {
    char name[NAME];
    Expr body;
    const char *from = r->at;
    if (!take_name(r, name)) return false;
    uint32_t rule = rule_of(r, name, from);
    skip(r, false);
    if (r->end - r->at < 3 || memcmp(r->at, "::=", 3) != 0) return wrong(r, "wanted ::=");
    r->at += 3;
    skip(r, true);
    if (!take_alternatives(r, &body, false)) return false;
    if (r->at < r->end && *r->at != '\n')
        return wrong(r, "wanted the end of the rule, | or something to match");
    r->store->rule[rule].body = body;
    r->named[rule - r->first_rule].defined = true;
    skip(r, true);
    return true;
}

static bool all_defined(Reader *r) {
    for (uint32_t i = r->first_rule; i < r->store->n_rule; i++) {
        const Named *named = &r->named[i - r->first_rule];
        if (!named->defined)
            return fault_set(r->fault, "grammar, line %d, column %ld: there is no rule '%s'",
                             named->line, named->column, r->store->rule[i].name);
    }
    return true;
}

static bool find_root(Reader *r, uint32_t *root) {
    for (uint32_t i = r->first_rule; i < r->store->n_rule; i++)
        if (strcmp(r->store->rule[i].name, "root") == 0) return *root = i, true;
    return fault_set(r->fault, "grammar: there is no rule 'root', with which a text begins");
}

bool gbnf_read(ExprStore *store, Text source, const Tokenizer *tokenizer, uint32_t *root,
               Fault *fault) {
    Reader r = {.store = store,
                .tokenizer = tokenizer,
                .at = source.data,
                .end = source.data + source.size,
                .line_begin = source.data,
                .line = 1,
                .first_rule = store->n_rule,
                .fault = fault};
    bool ok = true;
    skip(&r, true);
    while (ok && r.at < r.end) ok = take_rule(&r);
    ok = ok && find_root(&r, root) && all_defined(&r);
    free(r.named);
    return ok;
}

/* ------------------------------------------------------------------ left recursion */

enum { NEW, OPEN, DONE };

/* Visit the rules a rule can begin with; `depth` is how far the way here is. */
static bool visit(ExprStore *s, uint32_t rule, uint8_t *state, uint32_t depth, Fault *fault) {
    const ExprCall *calls;
    if (state[rule] == DONE) return true;
    if (state[rule] == OPEN)
        return fault_set(fault,
                         "grammar: rule '%s' can begin with itself (left recursion), which "
                         "llama.cpp cannot load: write a repetition, as in sum ::= term (\"+\" "
                         "term)*, or allow it (--left-recursion)",
                         s->rule[rule].name);
    if (depth > 5000) return fault_set(fault, "grammar: its rules are nested too deeply");
    state[rule] = OPEN;
    size_t count = expr_calls(s, s->rule[rule].body, &calls);
    for (size_t i = 0; i < count; i++) {
        expr_calls(s, s->rule[rule].body, &calls); /* the list may have moved */
        if (!visit(s, calls[i].rule, state, depth + 1, fault)) return false;
    }
    state[rule] = DONE;
    return true;
}

bool gbnf_check_left_recursion(ExprStore *store, uint32_t root, Fault *fault) {
    uint8_t *state = calloc(store->n_rule + 1, 1);
    REQUIRE(state, "no memory for a grammar");
    bool ok = visit(store, root, state, 0, fault);
    free(state);
    return ok;
}
