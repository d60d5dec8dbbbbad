/* prefix_tree.h - a trie of strings; private to layer 5.
 *
 * Invariant: a node's number identifies its prefix; the root is 0. */
#ifndef STRATA_PREFIX_TREE_H
#define STRATA_PREFIX_TREE_H

#include <stdint.h>
#include "fault.h"
#include "text.h"

typedef struct PrefixEdge {
    uint32_t from; /* 256 * node + byte, plus 1; 0: an empty entry */
    uint32_t to;
} PrefixEdge;

typedef struct PrefixTree {
    PrefixEdge *edges; /* (capacity) open addressing by `from` */
    size_t capacity, used;
    int32_t *values; /* (nodes) -1: no string ends here */
    size_t nodes, room;
} PrefixTree;

/* Add a string (size > 0); of equal ones the first stays.  Fails when memory is short or there
 * are more than 2^24 nodes. */
bool prefix_tree_add(PrefixTree *trie, Text string, int32_t value, Fault *fault);
void prefix_tree_free(PrefixTree *trie);

/* The node that a byte leads to, or 0. */
uint32_t prefix_tree_next(const PrefixTree *trie, uint32_t node, unsigned char byte);

/* The longest string at the start of a text: its value (-1: none) and size. */
int32_t prefix_tree_longest(const PrefixTree *trie, Text text, size_t *size);

#endif
