/* prefix_tree.c - see prefix_tree.h. */
#include "prefix_tree.h"
#include "grow.h"

#include <stdlib.h>

static size_t edge_slot(const PrefixTree *t, uint32_t from) {
    size_t slot = (from * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (t->capacity - 1);
    while (t->edges[slot].from && t->edges[slot].from != from)
        slot = (slot + 1) & (t->capacity - 1);
    return slot;
}

uint32_t prefix_tree_next(const PrefixTree *trie, uint32_t node, unsigned char byte) {
    return trie->capacity ? trie->edges[edge_slot(trie, 256 * node + byte + 1)].to : 0;
}

static bool widen_edges(PrefixTree *t) {
    PrefixTree wider = {.capacity = t->capacity ? 2 * t->capacity : 1024};
    wider.edges = calloc(wider.capacity, sizeof *wider.edges);
    if (!wider.edges) return false;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->edges[i].from) wider.edges[edge_slot(&wider, t->edges[i].from)] = t->edges[i];
    free(t->edges);
    t->edges = wider.edges, t->capacity = wider.capacity;
    return true;
}

static uint32_t add_node(PrefixTree *t) {
    if (t->nodes == 1u << 24 || !GROW(t->values, t->room, t->nodes + 1)) return 0;
    t->values[t->nodes] = -1;
    return (uint32_t)t->nodes++;
}

static uint32_t add_edge(PrefixTree *t, uint32_t node, unsigned char byte) {
    uint32_t next = prefix_tree_next(t, node, byte);
    if (next) return next;
    if (2 * (t->used + 1) > t->capacity && !widen_edges(t)) return 0;
    next = add_node(t);
    uint32_t from = 256 * node + byte + 1;
    if (next) t->edges[edge_slot(t, from)] = (PrefixEdge){from, next}, t->used++;
    return next;
}

bool prefix_tree_add(PrefixTree *t, Text string, int32_t value, Fault *fault) {
    if (t->nodes == 0) add_node(t); /* the root */
    uint32_t node = 0;
    for (size_t i = 0; i < string.size; i++) {
        node = add_edge(t, node, (unsigned char)string.data[i]);
        if (!node)
            return fault_set(fault, "no memory for a tree of tokens, or it is too large");
    }
    if (node && t->values[node] < 0) t->values[node] = value;
    return true;
}

void prefix_tree_free(PrefixTree *trie) {
    free(trie->edges), free(trie->values);
    *trie = (PrefixTree){0};
}

int32_t prefix_tree_longest(const PrefixTree *trie, Text text, size_t *size) {
    int32_t longest = -1;
    uint32_t node = 0;
    for (size_t at = 0; at < text.size; at++) {
        node = prefix_tree_next(trie, node, (unsigned char)text.data[at]);
        if (!node) break;
        if (trie->values[node] >= 0) longest = trie->values[node], *size = at + 1;
    }
    return longest;
}
