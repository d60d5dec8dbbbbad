/* gbnf.c - GBNF, llama.cpp's grammar notation.
 *
 *     root  ::= "(" root ")" | word+        # a rule ends at a newline outside parentheses
 *     word  ::= [a-z]{1,8} [^\x00-\x7F]?    # character sets, quantifiers
 *
 *     grammar      := (name "::=" alternatives newline)*
 *     alternatives := sequence ("|" sequence)*
 *     sequence     := (atom quantifier*)*
 *     atom         := "text" | [set] | . | name | (alternatives) | <token> | !<token>
 *
 * Invariant: a grammar that llama.cpp loads means the same set of texts here. */
#include "gbnf_reader.h"
#include "charset.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 250, REPEATS = 2000, NAME = 100 };

static void take_line_end(GbnfReader *r) {
    r->at++;
    r->line++, r->line_begin = r->at;
}

/* Skip blanks and comments; newlines too, where the rule continues on the next line. */
static void gbnf_skip(GbnfReader *r, bool newlines) {
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

static bool gbnf_take_name(GbnfReader *r, char name[NAME]) {
    size_t size = 0;
    while (r->at + size < r->end && is_name(r->at[size])) size++;
    if (size == 0) return gbnf_wrong(r, "wanted the name of a rule (letters, digits and -)");
    if (size >= NAME) return gbnf_wrong(r, "this name is too long");
    memcpy(name, r->at, size);
    name[size] = 0;
    r->at += size;
    return true;
}

/* The rule of that name, created on first mention. */
/* The bucket of a name, or the empty one where it belongs. */
static uint32_t *name_bucket(const GbnfReader *r, const char *name) {
    uint32_t h = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++) h = (h ^ (uint8_t)*c) * 16777619u;
    for (;; h++) {
        uint32_t *bucket = &r->bucket[h & (r->n_buckets - 1)];
        if (!*bucket || strcmp(r->store->rule[r->first_rule + *bucket - 1].name, name) == 0)
            return bucket;
    }
}

static void rehash_names(GbnfReader *r) {
    r->n_buckets = r->n_buckets ? 4 * r->n_buckets : 64;
    free(r->bucket);
    r->bucket = calloc(r->n_buckets, sizeof *r->bucket);
    NEED_MEMORY(r->bucket, "a grammar");
    for (uint32_t i = r->first_rule; i < r->store->n_rule; i++)
        *name_bucket(r, r->store->rule[i].name) = i - r->first_rule + 1;
}

static uint32_t gbnf_rule_of(GbnfReader *r, const char *name, const char *at) {
    ExprStore *s = r->store;
    if (2 * (s->n_rule - r->first_rule) >= r->n_buckets) rehash_names(r);
    uint32_t *bucket = name_bucket(r, name);
    if (*bucket) return *bucket - 1 + r->first_rule;
    uint32_t rule = expr_rule(s, name);
    *bucket = rule - r->first_rule + 1;
    NEED_MEMORY(GROW(r->named, r->named_room, rule - r->first_rule + 1), "a grammar");
    r->named[rule - r->first_rule] =
        (Named){at, r->line, (long)(at - r->line_begin) + 1, false};
    return rule;
}

/* ------------------------------------------------------------------ rules */

static bool take_alternatives(GbnfReader *r, Expr *e, bool nested);

static bool take_atom(GbnfReader *r, Expr *e) {
    char name[NAME];
    uint32_t id;
    const char *from = r->at;
    if (gbnf_take(r, '"')) return gbnf_take_text(r, e);
    if (gbnf_take(r, '[')) return gbnf_take_set(r, e);
    if (gbnf_take(r, '.')) {
        CodeSet all = {0};
        code_set_invert(&all);
        *e = charset_utf8(r->store, &all);
        code_set_free(&all);
        return true;
    }
    if (gbnf_take(r, '(')) {
        if (++r->depth > DEPTH) return gbnf_wrong(r, "parentheses are nested too deeply");
        gbnf_skip(r, true);
        if (!take_alternatives(r, e, true)) return false;
        r->depth--;
        return gbnf_take(r, ')') || gbnf_wrong(r, "wanted a )");
    }
    if (gbnf_take(r, '<')) {
        if (!gbnf_take_token(r, &id)) return false;
        return *e = gbnf_token_expr(r->store, id), true;
    }
    if (gbnf_take(r, '!')) {
        if (!gbnf_take(r, '<')) return gbnf_wrong(r, "wanted a token, as in !<[123]>");
        if (!gbnf_take_token(r, &id)) return false;
        return *e = gbnf_other_tokens(r->store, id), true;
    }
    if (!gbnf_take_name(r, name)) return false;
    *e = expr_call(r->store, gbnf_rule_of(r, name, from));
    return true;
}

static bool take_count(GbnfReader *r, uint32_t *count) {
    const char *from = r->at;
    for (*count = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (*count <= REPEATS) *count = *count * 10 + (uint32_t)(*r->at - '0');
    if (r->at == from) return gbnf_wrong(r, "wanted a number");
    if (*count > REPEATS) return r->at = from, gbnf_wrong(r, "repeated more than 2000 times");
    return true;
}

/* {m}, {m,}, {m,n}, after the opening brace. */
static bool take_braces(GbnfReader *r, uint32_t *low, uint32_t *high) {
    gbnf_skip(r, false);
    if (!take_count(r, low)) return false;
    *high = *low;
    gbnf_skip(r, false);
    if (gbnf_take(r, ',')) {
        gbnf_skip(r, false);
        *high = EXPR_FOREVER;
        if (!gbnf_at_char(r, '}') && !take_count(r, high)) return false;
        gbnf_skip(r, false);
    }
    if (*high < *low) return gbnf_wrong(r, "{m,n} with n less than m");
    return gbnf_take(r, '}') || gbnf_wrong(r, "wanted a }");
}

static bool take_quantifiers(GbnfReader *r, Expr *e, bool nested) {
    for (;;) {
        uint32_t low = 0, high = EXPR_FOREVER;
        gbnf_skip(r, nested);
        if (gbnf_take(r, '+'))
            low = 1;
        else if (gbnf_take(r, '?'))
            high = 1;
        else if (gbnf_take(r, '{')) {
            if (!take_braces(r, &low, &high)) return false;
        } else if (!gbnf_take(r, '*'))
            return true;
        *e = expr_repeat(r->store, *e, low, high);
    }
}

static bool begins_atom(const GbnfReader *r) {
    return r->at < r->end && (strchr("\"[.(<!", *r->at) || is_name(*r->at));
}

static bool take_sequence(GbnfReader *r, Expr *e, bool nested) {
    GbnfItems items = {0};
    bool ok = true;
    while (ok && begins_atom(r)) {
        Expr atom;
        ok = take_atom(r, &atom) && take_quantifiers(r, &atom, nested) &&
             gbnf_add_item(r, &items, atom);
    }
    *e = gbnf_chain_items(r, &items);
    return ok;
}

static bool take_alternatives(GbnfReader *r, Expr *e, bool nested) {
    GbnfItems items = {0};
    bool ok = true, more = true;
    while (ok && more) {
        Expr one;
        ok = take_sequence(r, &one, nested) && gbnf_add_item(r, &items, one);
        more = ok && gbnf_take(r, '|');
        if (more) gbnf_skip(r, true);
    }
    *e = expr_alt(r->store, items.of, items.count);
    free(items.of);
    return ok;
}

static bool take_rule(GbnfReader *r) {
    char name[NAME];
    Expr body;
    const char *from = r->at;
    if (!gbnf_take_name(r, name)) return false;
    uint32_t rule = gbnf_rule_of(r, name, from);
    if (r->named[rule - r->first_rule].defined)
        return gbnf_wrong(r, "wanted another name: this rule is already defined");
    gbnf_skip(r, false);
    if (r->end - r->at < 3 || memcmp(r->at, "::=", 3) != 0) return gbnf_wrong(r, "wanted ::=");
    r->at += 3;
    gbnf_skip(r, true);
    if (!take_alternatives(r, &body, false)) return false;
    if (r->at < r->end && *r->at != '\n')
        return gbnf_wrong(r, "wanted the end of the rule, | or something to match");
    r->store->rule[rule].body = body;
    r->named[rule - r->first_rule].defined = true;
    gbnf_skip(r, true);
    return true;
}

static bool all_defined(GbnfReader *r) {
    for (uint32_t i = r->first_rule; i < r->store->n_rule; i++) {
        const Named *named = &r->named[i - r->first_rule];
        if (!named->defined)
            return fault_set(r->fault, "grammar, line %d, column %ld: there is no rule '%s'",
                             named->line, named->column, r->store->rule[i].name);
    }
    return true;
}

static bool find_root(GbnfReader *r, uint32_t *root) {
    for (uint32_t i = r->first_rule; i < r->store->n_rule; i++)
        if (strcmp(r->store->rule[i].name, "root") == 0) return *root = i, true;
    return fault_set(r->fault, "grammar: the start rule 'root' is missing");
}

bool gbnf_read(ExprStore *store, Text source, const Tokenizer *tokenizer, uint32_t *root,
               Fault *fault) {
    GbnfReader r = {.store = store,
                    .tokenizer = tokenizer,
                    .at = source.data,
                    .end = source.data + source.size,
                    .line_begin = source.data,
                    .line = 1,
                    .first_rule = store->n_rule,
                    .fault = fault};
    bool ok = true;
    gbnf_skip(&r, true);
    while (ok && r.at < r.end) ok = take_rule(&r);
    ok = ok && find_root(&r, root) && all_defined(&r);
    free(r.named), free(r.bucket);
    return ok;
}
