/* right: by recursion, from a node to its children */
static void below(MaskTable *t, const Trie *trie, uint32_t row, uint32_t from, uint32_t end,
                  Rounds r, uint64_t *mask) {
    for (uint32_t i = from; i < end; i = trie->node[i].skip) {
        uint32_t next = row_next(t->rows, row, trie->node[i].byte);
        if (next == ROW_DEAD) continue;
        take_tokens(trie, &trie->node[i], r, mask);
        below(t, trie, next, i + 1, trie->node[i].skip, r, mask);
    }
}

void mask_walk(MaskTable *t, const Trie *trie, uint32_t from, uint32_t end, Rounds r,
               uint64_t *mask) {
    if (from < end) below(t, trie, t->stack[trie->node[from].depth - 1], from, end, r, mask);
}
