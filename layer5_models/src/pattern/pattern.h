/* pattern.h - regular expressions by which text is split into words; private to layer 5.
 *
 *   read     regex_tree.c      the source as a tree
 *   mean     word_notation.c   what a backslash and (? stand for: \p{..}, \s, (?i:..), (?=..)
 *   build    pattern_build.c   the tree as operations, these as a table:
 *                              (state, kind of character) -> state
 *   search   pattern_search.c  one look into the table for each character
 *
 * The first alternative that matches wins, and in it the first choice of each repetition (as
 * many as can be), as in engines that go back and try again; nothing goes back here, so that a
 * text takes time in proportion to its length.
 *
 * Invariant: a pattern does not change once it is open; any number of threads may search with
 * it. */
#ifndef STRATA_PATTERN_H
#define STRATA_PATTERN_H

#include "regex_tree.h"

/* ------------------------------------------------------------------ the table */

typedef struct TableStep {
    uint16_t next;  /* 0: nothing can match any more */
    uint16_t match; /* a match ends before this character: 1 + the alternative; else 0 */
} TableStep;

/* Symbols are kinds of characters, and one for the end of the text; where the pattern looks
 * far, twice as many: (kind, does what follows match the lookahead?). */
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

/* The notation of patterns that split text, as models were trained with them; (?=X) and (?!X)
 * look ahead, of more than a character once, and \b stands there alone. */
extern const RegexNotation word_notation;

/* word_notation.c: the escape of a notation in which \p{}, \s and \d mean these sets. */
typedef struct WordSets {
    void (*categories)(const RegexReader *reader, CodeSet *set, unsigned wanted);
    void (*spaces)(CodeSet *set);
    void (*digits)(CodeSet *set);
} WordSets;
bool word_escape(RegexReader *reader, bool in_class, const WordSets *sets, RegexNode *atom,
                 uint32_t *one);
bool word_group(RegexReader *reader, RegexNode *group);

/* Fails when the source is no pattern, asks for what is not built in, or memory is short. */
Pattern *pattern_open(const char *source, const RegexNotation *notation, Fault *fault);
void pattern_close(Pattern *pattern);

/* ------------------------------------------------------------------ the search */

/* A text that is being searched.  Begins as {0}; search_free gives its memory back. */
typedef struct Search {
    const Pattern *pattern;
    Text text;
    bool *looks; /* (size + 1) of each character: does what follows match the lookahead? */
    size_t looks_room;
    /* Where an attempt ran on for 64 characters or more without a match: its states.  Another
     * one that comes to the same state at the same place has none there either. */
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
