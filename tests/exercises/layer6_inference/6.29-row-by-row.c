/* right: dead rows are kept, too, and what is below one is passed over by looking at its parent */
void mask_walk(MaskTable *t, const Trie *trie, uint32_t from, uint32_t end, Rounds r,
               uint64_t *mask) {
    for (uint32_t i = from; i < end; i++) {
        const TrieNode *node = &trie->node[i];
        uint32_t row = row_next(t->rows, t->stack[node->depth - 1], node->byte);
        t->stack[node->depth] = row;
        if (row != ROW_DEAD) take_tokens(trie, node, r, mask);
    }
}
