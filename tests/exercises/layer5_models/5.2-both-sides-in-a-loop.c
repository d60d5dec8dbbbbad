/* right: all pairs by their links from the right end on, both new neighbours in one loop, up-to-date by the links */
void merge_pieces(const Tokenizer *tokenizer, Scratch *scratch, size_t n, MergeRule *rule) {
    Piece *p = scratch->pieces;
    Heap heap = {scratch->candidates, 0};
    for (int32_t i = (int32_t)n - 1; i > 0; i--) consider(tokenizer, &heap, p, i - 1, i, rule);
    while (heap.count) {
        Candidate c = heap_pop(&heap);
        bool current = p[c.left].size && p[c.left].after == c.right &&
                       p[c.left].size == c.left_size && p[c.right].size == c.right_size;
        if (!current) continue;
        int32_t sides[2][2] = {{p[c.left].before, c.left}, {c.left, p[c.right].after}};
        p[c.left].size += p[c.right].size, p[c.left].symbol = c.merged,
                                           p[c.left].after = p[c.right].after;
        p[c.right].size = 0;
        if (sides[1][1] >= 0) p[sides[1][1]].before = c.left;
        for (int side = 0; side < 2; side++)
            consider(tokenizer, &heap, p, sides[side][0], sides[side][1], rule);
    }
}
