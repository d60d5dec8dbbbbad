/* pattern.h - regular expressions that split text into words; private to layer 5.
 *
 *   parse    regex_tree.c      the source as a tree
 *            word_notation.c   escapes and groups: \p{..}, \s, (?i:..), (?=..)
 *   build    pattern_build.h   the tree as operations, these as a table:
 *                              (state, class of character) -> state
 *   search   pattern_search.c  one table look-up per character
 *
 * The first alternative that matches wins, and in it the greediest choice of each repetition,
 * as in backtracking engines; but nothing backtracks, so the time is linear in the length of
 * the text.
 *
 * Invariant: an open pattern does not change; any number of threads may search with it. */
#ifndef STRATA_PATTERN_H
#define STRATA_PATTERN_H

#include "regex_tree.h"

/* ------------------------------------------------------------------ the table */

typedef struct TableStep {
    uint16_t next;  /* 0: dead */
    uint16_t match; /* a match ends before this character: 1 + the alternative; else 0 */
} TableStep;

/* A symbol is a class of characters or the end of the text; with a far lookahead each is two:
 * what follows does not match it, or does. */
typedef struct Machine {
    TableStep *steps; /* (states, symbols) */
    size_t states;
    /* [is the character before part of a word]: for \b, in lookaheads only; a search begins in
     * start[0] */
    uint16_t start[2];
} Machine;

typedef struct Pattern {
    Machine machine;
    Machine far; /* states 0: no far lookahead */
    size_t kinds, symbols;
    unsigned char ascii[128]; /* the class of each character */
    unsigned char *cells;     /* (pages, 256) classes */
    uint16_t page[(LAST_CODE + 1) >> 8];
    bool is_word[256]; /* by class */
    bool skips[128];   /* no match begins with this character */
} Pattern;

/* The notation of patterns that split text, as models were trained with them; (?=X) and (?!X)
 * may look further than one character once, and \b is supported only there. */
extern const RegexNotation word_notation;

/* word_notation.c: the escapes of a notation in which \p{}, \s and \d mean these sets. */
typedef struct WordSets {
    void (*categories)(const RegexReader *reader, CodeSet *set, unsigned wanted);
    void (*spaces)(CodeSet *set);
    void (*digits)(CodeSet *set);
} WordSets;
bool word_escape(RegexReader *reader, bool in_class, const WordSets *sets, RegexNode *atom,
                 uint32_t *one);
bool word_group(RegexReader *reader, RegexNode *group);

/* Fails when the source is invalid or unsupported, or memory is short. */
Pattern *pattern_open(const char *source, const RegexNotation *notation, Fault *fault);
void pattern_close(Pattern *pattern);

/* ------------------------------------------------------------------ the search */

/* A text being searched.  Begins as {0}; search_free frees its memory. */
typedef struct Search {
    const Pattern *pattern;
    Text text;
    bool *looks; /* (size + 1) by character: does what follows match the lookahead? */
    size_t looks_room;
    /* The states of an attempt that ran for 64 characters or more without a match.  Another
     * attempt that reaches the same state at the same position fails too. */
    uint16_t *barren; /* (barren_to - barren_from); 0: not known */
    size_t barren_from, barren_to, barren_room;
} Search;

/* Fails when memory is short. */
bool search_begin(Search *search, const Pattern *pattern, Text text, Fault *fault);
void search_free(Search *search);

typedef struct Match {
    size_t start, end;
    int alternative; /* of the pattern, from 0 */
} Match;

/* The position after the character at `at`; `at` itself at the end. */
size_t search_step(const Search *search, size_t at);

/* The first match from `from` on, which may be any earlier or later position; false: none. */
bool search_next(Search *search, size_t from, Match *match);

#endif
