/* walk.c - the tokens that can continue a text, by one walk through the vocabulary's trie.  See
 * token_mask.h.
 *
 *     node   byte  depth  skip      only "ac" may follow:
 *     0      a      1     3         row after "a": live, on to node 1
 *     1      b      2     2         row after "ab": dead, on to node 2 (its skip)
 *     2      c      2     3         row after "ac", from that after "a": take its tokens
 *     3      b      1     4         row after "b": dead, on to node 4: the end
 *
 * Invariant: when a node is visited, stack[depth - 1] is the row after all of its bytes but the
 * last. */
#include "token_mask.h"

static void take_tokens(const Trie *trie, const TrieNode *node, Rounds r, uint64_t *mask) {
    for (uint32_t k = node->first; k < node->last; k++)
        if (trie->counts[k] >= r.low && trie->counts[k] <= r.high)
            token_bit_set(mask, trie->order[k]);
}

void mask_walk(MaskTable *t, const Trie *trie, uint32_t from, uint32_t end, Rounds r,
               uint64_t *mask) {
    for (uint32_t i = from; i < end;) {
        const TrieNode *node = &trie->node[i];
        uint32_t next = row_next(t->rows, t->stack[node->depth - 1], node->byte);
        if (next == ROW_DEAD) {
            i = node->skip;
            continue;
        }
        t->stack[node->depth] = next;
        take_tokens(trie, node, r, mask);
        i++;
    }
}
