/* trie.h - a vocabulary in order, so that what begins alike is read once.
 *
 *     tokens  a, ab, ac, b        node   byte  depth  tokens  skip
 *                                  0      a      1      a      3      skip: next node that does
 *                                  1      b      2      ab     2      not begin like this one
 *                                  2      c      2      ac     3
 *                                  3      b      1      b      4
 *
 * A walk goes through the nodes one after the other, with one state for each depth; where no
 * text goes on, it jumps.  In that of a vocabulary every token stands by its bytes, and by
 * its number, too (TOKEN_MARK).
 *
 * Invariant: nodes are in the order of their texts; the tokens of a node's subtree are a run
 * of `order`. */
#ifndef STRATA_TRIE_H
#define STRATA_TRIE_H

#include "expr.h"

typedef struct TrieNode {
    uint8_t byte;
    uint16_t depth;       /* bytes so far, this one too */
    uint32_t skip;        /* number of the next node outside */
    uint32_t first, last; /* its own tokens in `order` */
} TrieNode;

/* What goes into a trie. */
typedef struct TrieEntry {
    Text bytes;
    int32_t token;
    uint32_t count; /* of the caller's own */
} TrieEntry;

typedef struct Trie {
    TrieNode *node; /* owns, like all below */
    uint32_t count, max_depth;
    int32_t *order;   /* tokens, sorted by their bytes */
    uint32_t *counts; /* of each; 0 in a part */
    uint32_t n_order;
    ByteSet begins;      /* first bytes */
    uint32_t begin[256]; /* the node for a first byte */
} Trie;

/* A trie of entries, which are put in order.
 *
 * Fails when memory runs out. */
bool trie_make(Trie *trie, TrieEntry *entries, size_t count, Fault *fault);

/* A trie of all tokens, each by its bytes and by its number. */
bool trie_open(Trie *trie, const Tokenizer *tokenizer, Fault *fault);
void trie_close(Trie *trie);

/* The part of a trie that leads to the tokens of some nodes.
 *
 *   keep   (nodes of `whole`) whose tokens are kept
 *
 * Fails when memory runs out. */
bool trie_part(Trie *part, const Trie *whole, const bool *keep);

/* The longest token that a text begins with, and its bytes; 0: none does, or longer ones
 * begin with all of the text. */
size_t trie_longest(const Trie *trie, Text text, int32_t *token);

/* Where the tokens below a node end in `order`. */
uint32_t trie_end(const Trie *trie, uint32_t node);

#endif
