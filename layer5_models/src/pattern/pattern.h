/* pattern.h - regular expressions by which text is split into words; private to layer 5.
 *
 *   read     pattern_read.c    the source as a tree: p{..}, classes, ? * + {m,n}, (?i:..), lookahead
 *   build    pattern_build.c   the tree as operations, these as a table: state, kind of character -> state
 *   search   pattern_search.c  one look into the table for each character
 *
 * The first alternative that matches wins, and in it the first choice of each repetition (as many as
 * can be), as in engines that go back and try again; nothing goes back here, so that a text takes
 * time in proportion to its length.
 *
 * Invariant: a pattern does not change once it is open; any number of threads may search with it. */
#ifndef STRATA_PATTERN_H
#define STRATA_PATTERN_H

#include "code_set.h"
#include "fault.h"
#include "gguf.h"

enum { MAX_SETS = 64 };

/* ------------------------------------------------------------------ the tree */

typedef enum NodeKind {
    NODE_EMPTY,
    NODE_SET,      /* a character in sets[a] */
    NODE_THEN,     /* a, then b */
    NODE_EITHER,   /* a, or else b */
    NODE_REPEAT,   /* a, min to max times, as often as can be */
    NODE_LOOK,     /* the next character is in sets[a]; negative: it is not, or there is none */
    NODE_LOOK_FAR, /* what follows matches far->root */
    NODE_END,      /* nothing follows */
    NODE_EDGE      /* one of the characters before and after is part of a word (\b) */
} NodeKind;

typedef struct Node {
    NodeKind kind;
    int32_t a, b;
    int min, max; /* max -1: no limit */
    bool negative;
} Node;

typedef struct Tree {
    Node *nodes; /* (count) owns */
    size_t count, capacity;
    CodeSet sets[MAX_SETS];
    size_t n_sets;
    int32_t root, far; /* far: the tree of the lookahead of more than a character; -1: none */
    int32_t word_set;  /* sets[word_set]: what \b calls part of a word; -1: no \b */
} Tree;

/* Fails when the source is no pattern, asks for what is not built in, or memory is short.
 *
 *   collapsed   as llama.cpp reads it: where the source has \p{, all characters above 127 are one of six
 *               (white space, N, L, P, M, S; others a seventh), Lu means L, and \s is ASCII's; else
 *               white space above 127 is one character, U+000B */
bool pattern_read(Tree *tree, const char *source, bool collapsed, Fault *fault);
void pattern_tree_free(Tree *tree);

/* ------------------------------------------------------------------ the table */

typedef struct TableStep {
    uint16_t next;  /* 0: nothing can match any more */
    uint16_t match; /* a match ends before this character: 1 + the alternative; else 0 */
} TableStep;

/* Symbols are kinds of characters, and one for the end of the text; where the pattern looks far,
 * twice as many: (kind, does what follows match the lookahead?). */
typedef struct Machine {
    TableStep *steps; /* (states, symbols) */
    size_t states;
    uint16_t start[2]; /* [the character before is part of a word]; only a lookahead asks,
                        * with \b: a search begins in start[0] */
} Machine;

typedef struct Pattern {
    Machine machine;
    Machine far; /* states 0: no far lookahead */
    size_t kinds, symbols;
    unsigned char ascii[128]; /* the kind of each character */
    unsigned char *cells;     /* (pages, 256) kinds */
    uint16_t page[(LAST_CODE + 1) >> 8];
    bool is_word[256]; /* by kind */
    bool skips[128];   /* no match begins with this character */
} Pattern;

/* Fails as pattern_read does. */
Pattern *pattern_open(const char *source, bool collapsed, Fault *fault);
void pattern_close(Pattern *pattern);

/* ------------------------------------------------------------------ the search */

/* A text that is being searched.  Begins as {0}; search_free gives its memory back. */
typedef struct Search {
    const Pattern *pattern;
    Text text;
    bool *looks; /* (size + 1) of each character: does what follows match the lookahead? */
    size_t looks_room;
    /* Where an attempt ran on for 64 characters or more without a match: its states.  Another one that
     * comes to the same state at the same place has none there either. */
    uint16_t *barren; /* (barren_to - barren_from); 0: whoever comes here looks for itself */
    size_t barren_from, barren_to, barren_room;
} Search;

/* Fails when memory is short. */
bool search_begin(Search *search, const Pattern *pattern, Text text, Fault *fault);
void search_free(Search *search);

typedef struct Match {
    size_t start, end;
    int alternative; /* which of the pattern's matched, from 0 */
} Match;

/* The place behind the character at `at`; `at` itself at the end. */
size_t search_step(const Search *search, size_t at);

/* The first match from `from` on, wherever it was asked before; false when there is none. */
bool search_next(Search *search, size_t from, Match *match);

#endif
