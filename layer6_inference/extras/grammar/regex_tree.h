/* regex_tree.h - a regular expression as a tree: what its reader's two files share.
 *
 *     alternatives := sequence ('|' sequence)*
 *     sequence     := (atom quantifier?)*
 *     atom         := character | escape | [class] | . | ^ | $ | (alternatives)
 *
 * Invariant: what is accepted has the meaning of ECMA-262 with the u flag, and, as without it, a brace
 * that begins no quantifier stands for itself; all else is refused by name. */
#ifndef STRATA_REGEX_TREE_H
#define STRATA_REGEX_TREE_H

#include "charset.h"
#include "fault.h"

#include <string.h>

typedef enum NodeKind { NODE_SET, NODE_BEGIN, NODE_END, NODE_GROUP, NODE_SEQUENCE } NodeKind;

/* A group's children are sequences, a sequence's children atoms. */
typedef struct RegexNode {
    NodeKind kind;
    CharSet set;
    uint32_t low, high; /* of an atom: how often */
    struct RegexNode **child;
    size_t count, room;
} RegexNode;

typedef struct RegexReader {
    const char *at, *end, *begin;
    int depth;
    size_t nodes;
    Fault *fault;
} RegexReader;

enum { REGEX_NODES = 200000 };

/* The tree of a whole expression; NULL: it is refused. */
RegexNode *regex_tree(Text source, Fault *fault);
void regex_tree_free(RegexNode *node);

/* ------------------------------------------------------------------ characters: regex_char.c */

/* The fault, with the place where the reader is; always false. */
bool regex_wrong(const RegexReader *r, const char *what);

/* One character in UTF-8. */
bool regex_take_char(RegexReader *r, uint32_t *c);

/* After a backslash: a class (*many), or one character. */
bool regex_take_escape(RegexReader *r, CharSet *set, bool *many);

/* After a [, up to its ]. */
bool regex_take_class(RegexReader *r, CharSet *set);

static inline bool regex_next_is(const RegexReader *r, const char *text) {
    size_t size = strlen(text);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, text, size) == 0;
}

/* This character, if it comes next. */
static inline bool regex_take(RegexReader *r, char c) {
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

#endif
