/* regex_tree.h - a regular expression as a tree.
 *
 *     alternatives := sequence ('|' sequence)*
 *     sequence     := (atom quantifier?)*
 *     atom         := character | escape | [class] | . | ^ | $ | (alternatives)
 *                     | (?group alternatives)
 *     quantifier   := (* | + | ? | {m} | {m,} | {m,n}) ??
 *
 * Escapes and (? groups depend on the notation.  Two compilers read the tree: src/pattern/,
 * which splits text into words, and the grammars of layer 6.
 *
 * Invariant: an accepted expression means what it means in ECMA-262 with the u flag, except
 * that a brace that does not begin a quantifier is a literal, as without the flag.  Everything
 * else is refused by name [looks.py, validate.py]. */
#ifndef STRATA_REGEX_TREE_H
#define STRATA_REGEX_TREE_H

#include "code_set.h"
#include "fault.h"
#include "text.h"

#include <string.h>

typedef enum RegexKind {
    REGEX_SET,     /* a character of `set` */
    REGEX_BEGIN,   /* ^ */
    REGEX_END,     /* $ */
    REGEX_EDGE,    /* \b: exactly one of the characters on both sides is in `set` */
    REGEX_LOOK,    /* (?=X): X follows; negative: it does not */
    REGEX_GROUP,   /* its children are alternatives, and sequences */
    REGEX_SEQUENCE /* its children are atoms */
} RegexKind;

enum { REGEX_NODES = 200000 };
#define REGEX_FOREVER UINT32_MAX

typedef struct RegexNode {
    RegexKind kind;
    CodeSet set;
    uint32_t low, high; /* of an atom: repetitions */
    bool lazy;          /* as few as possible first */
    bool negative;
    int32_t number; /* for a compiler's use */
    struct RegexNode **child;
    size_t count, room;
} RegexNode;

typedef struct RegexReader {
    const char *at, *end, *begin;
    const struct RegexNotation *notation;
    bool any_case; /* ASCII letters match both cases */
    int depth;
    size_t nodes;
    Fault *fault;
} RegexReader;

typedef struct RegexNotation {
    /* After a backslash.  *one: the character; else it fills the atom's set or, outside a
     * class, makes it another atom. */
    bool (*escape)(RegexReader *reader, bool in_class, RegexNode *atom, uint32_t *one);
    /* After (?, unless : follows: up to the group's content. */
    bool (*group)(RegexReader *reader, RegexNode *group);
    /* Adjusts a complete set. */
    void (*finish)(const RegexReader *reader, CodeSet *set);
    bool meets; /* [a&&[b]] is an intersection */
} RegexNotation;

/* Parse an expression into a group; NULL: refused, and the fault names the position and what is
 * there. */
RegexNode *regex_tree(Text source, const RegexNotation *notation, Fault *fault);
void regex_tree_free(RegexNode *node);

/* ------------------------------------------------------------------ for notations */

/* The fault, with the reader's position; always false. */
bool regex_wrong(const RegexReader *reader, const char *what);

/* The general categories of \p{NAME}, by short or long name; 0: unknown.  Subcategories of
 * marks, punctuation, symbols and separators are not distinguished. */
unsigned regex_categories(Text name);

/* Consume this text if it comes next. */
bool regex_take(RegexReader *reader, const char *text);

static inline bool regex_next_is(const RegexReader *r, const char *text) {
    size_t size = strlen(text);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, text, size) == 0;
}

#endif
