/* trie.h - a sorted vocabulary as a trie, so that common prefixes are walked once.
 *
 *     tokens  a, ab, ac, b        node   byte  depth  tokens  skip
 *                                  0      a      1      a      3      skip: the next node
 *                                  1      b      2      ab     2      not below this
 *                                  2      c      2      ac     3
 *                                  3      b      1      b      4
 *
 * A walk visits the nodes in order, with one state per depth, and skips dead subtrees.  A
 * vocabulary's trie has every token twice: by its bytes and by its id (TOKEN_MARK).
 *
 * Invariant: nodes are in the order of their texts; the tokens of a subtree are contiguous in
 * `order`. */
#ifndef STRATA_TRIE_H
#define STRATA_TRIE_H

#include "expr.h"

typedef struct TrieNode {
    uint8_t byte;
    uint16_t depth;       /* bytes so far, including this one */
    uint32_t skip;        /* index of the next node outside the subtree */
    uint32_t first, last; /* its own tokens in `order` */
} TrieNode;

/* An entry of a trie. */
typedef struct TrieEntry {
    Text bytes;
    int32_t token;
    uint32_t count; /* chosen by the caller */
} TrieEntry;

typedef struct Trie {
    TrieNode *node; /* owned, like all below */
    uint32_t count, max_depth;
    int32_t *order;   /* tokens, sorted by bytes */
    uint32_t *counts; /* of each entry; 0 in a part */
    uint32_t n_order;
    ByteSet begins;      /* the first bytes */
    uint32_t begin[256]; /* the node for a first byte */
} Trie;

/* Build a trie; sorts the entries.
 *
 * Fails when memory runs out. */
bool trie_make(Trie *trie, TrieEntry *entries, size_t count, Fault *fault);

/* A trie of all tokens, each by its bytes and by its id. */
bool trie_open(Trie *trie, const Tokenizer *tokenizer, Fault *fault);
void trie_close(Trie *trie);

/* The part of a trie that leads to the tokens of the kept nodes.
 *
 *   keep   (nodes of `whole`) whether the node's tokens are kept
 *
 * Fails when memory runs out. */
bool trie_part(Trie *part, const Trie *whole, const bool *keep);

/* The longest token that is a prefix of a text, and its bytes; 0: none, or the text is a proper
 * prefix of a token. */
size_t trie_longest(const Trie *trie, Text text, int32_t *token);

/* The end of a subtree's tokens in `order`. */
uint32_t trie_end(const Trie *trie, uint32_t node);

#endif
