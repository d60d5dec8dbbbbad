/* right: the heap, with dead pieces noticed by their size and neighbours found on the way */
static bool is_stale(const Piece *pieces, Candidate c) {
    return pieces[c.left].size != c.left_size || pieces[c.right].size != c.right_size ||
           pieces[c.left].after != c.right;
}

void merge_pieces(const Tokenizer *tokenizer, Scratch *scratch, size_t n, MergeRule *rule) {
    Heap heap = {.items = scratch->candidates};
    for (size_t i = 1; i < n; i++)
        consider(tokenizer, &heap, scratch->pieces, (int32_t)(i - 1), (int32_t)i, rule);
    while (heap.count > 0) {
        Candidate c = heap_pop(&heap);
        if (is_stale(scratch->pieces, c)) continue;
        Piece left = scratch->pieces[c.left], right = scratch->pieces[c.right];
        scratch->pieces[c.left] =
            (Piece){left.data, left.size + right.size, c.merged, left.before, right.after};
        scratch->pieces[c.right].size = 0;
        if (right.after >= 0) scratch->pieces[right.after].before = c.left;
        consider(tokenizer, &heap, scratch->pieces, c.left, right.after, rule);
        consider(tokenizer, &heap, scratch->pieces, left.before, c.left, rule);
    }
}
