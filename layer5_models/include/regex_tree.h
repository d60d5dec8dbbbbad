/* regex_tree.h - a regular expression as a tree.
 *
 *     alternatives := sequence ('|' sequence)*
 *     sequence     := (atom quantifier?)*
 *     atom         := character | escape | [class] | . | ^ | $ | (alternatives)
 *                     | (?group alternatives)
 *     quantifier   := (* | + | ? | {m} | {m,} | {m,n}) ??
 *
 * What follows a backslash and (? is the notation's.  Two compilers read the tree:
 * src/pattern/, which splits text into words, and the grammars of layer 6.
 *
 * Invariant: what is accepted has the meaning of ECMA-262 with the u flag, and, as without it,
 * a brace that begins no quantifier stands for itself; all else is refused by name. */
#ifndef STRATA_REGEX_TREE_H
#define STRATA_REGEX_TREE_H

#include "code_set.h"
#include "fault.h"
#include "gguf.h"

#include <string.h>

typedef enum RegexKind {
    REGEX_SET,     /* a character of `set` */
    REGEX_BEGIN,   /* ^ */
    REGEX_END,     /* $ */
    REGEX_EDGE,    /* \b: one of the characters beside it is in `set` */
    REGEX_LOOK,    /* (?=X): X follows; negative: it does not */
    REGEX_GROUP,   /* its children are alternatives, and sequences */
    REGEX_SEQUENCE /* its children are atoms */
} RegexKind;

enum { REGEX_NODES = 200000 };
#define REGEX_FOREVER UINT32_MAX

typedef struct RegexNode {
    RegexKind kind;
    CodeSet set;
    uint32_t low, high; /* of an atom: how often */
    bool lazy;          /* as seldom as possible first */
    bool negative;
    int32_t number; /* a compiler's own */
    struct RegexNode **child;
    size_t count, room;
} RegexNode;

typedef struct RegexReader {
    const char *at, *end, *begin;
    const struct RegexNotation *notation;
    bool any_case; /* letters of ASCII stand for both cases */
    int depth;
    size_t nodes;
    Fault *fault;
} RegexReader;

typedef struct RegexNotation {
    /* After a backslash.  *one: the character it stands for; else it fills the atom's set, or
     * makes it another atom, outside of a class. */
    bool (*escape)(RegexReader *reader, bool in_class, RegexNode *atom, uint32_t *one);
    /* After (?, where no : follows: up to what the group holds. */
    bool (*group)(RegexReader *reader, RegexNode *group);
    /* A set that was read, as the characters of a text that it stands for. */
    void (*finish)(const RegexReader *reader, CodeSet *set);
    bool meets; /* [a&&[b]] is what is in both */
} RegexNotation;

/* The tree of a whole expression, a group; NULL: it is refused.  The fault names the place and
 * what stands there. */
RegexNode *regex_tree(Text source, const RegexNotation *notation, Fault *fault);
void regex_tree_free(RegexNode *node);

/* ------------------------------------------------------------------ for notations */

/* The fault, with the place where the reader is; always false. */
bool regex_wrong(const RegexReader *reader, const char *what);

/* The general categories of \p{NAME}, by either name of Unicode; 0: unknown.  The kinds of
 * marks, punctuation, symbols and separators are not told apart. */
unsigned regex_categories(Text name);

/* This text, if it comes next. */
bool regex_take(RegexReader *reader, const char *text);

static inline bool regex_next_is(const RegexReader *r, const char *text) {
    size_t size = strlen(text);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, text, size) == 0;
}

#endif
