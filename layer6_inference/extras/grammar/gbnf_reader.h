/* gbnf_reader.h - shared by the GBNF files: the reader's position, and terminals
 * (gbnf_atom.c). */
#ifndef STRATA_GBNF_READER_H
#define STRATA_GBNF_READER_H

#include "fault.h"
#include "gbnf.h"

enum { GBNF_ITEMS = 100000 };

/* A rule's first mention, and whether it has a body. */
typedef struct Named {
    const char *at;
    int line;
    long column;
    bool defined;
} Named;

typedef struct GbnfReader {
    ExprStore *store;
    const Tokenizer *tokenizer;
    const char *at, *end, *line_begin;
    int line, depth;
    size_t items;
    Named *named; /* (n_rule) */
    uint32_t first_rule;
    size_t named_room;
    uint32_t *bucket, n_buckets; /* hash of the names: number in `named` + 1 */
    Fault *fault;
} GbnfReader;

/* The items of a sequence. */
typedef struct GbnfItems {
    Expr *of;
    size_t count, room;
} GbnfItems;

bool gbnf_add_item(GbnfReader *r, GbnfItems *items, Expr e);

/* Concatenate the items and free them. */
Expr gbnf_chain_items(GbnfReader *r, GbnfItems *items);

/* Report a fault at the current line and column; always false. */
bool gbnf_wrong(const GbnfReader *r, const char *what);

/* After their first character: "text", [set], <token>. */
bool gbnf_take_text(GbnfReader *r, Expr *e);
bool gbnf_take_set(GbnfReader *r, Expr *e);
bool gbnf_take_token(GbnfReader *r, uint32_t *id);

Expr gbnf_token_expr(ExprStore *s, uint32_t id);
Expr gbnf_other_tokens(ExprStore *s, uint32_t id); /* any token but this one */

static inline bool gbnf_at_char(const GbnfReader *r, char c) {
    return r->at < r->end && *r->at == c;
}

/* Consume this character if it comes next. */
static inline bool gbnf_take(GbnfReader *r, char c) {
    if (!gbnf_at_char(r, c)) return false;
    r->at++;
    return true;
}

#endif
