/* right: the heap, with dead pieces noticed by their size and neighbours found on the way */
static bool is_stale(const Piece *pieces, Candidate c) {
    return pieces[c.left].size != c.left_size || pieces[c.right].size != c.right_size ||
           pieces[c.left].after != c.right;
}

void merge_pieces(const Tokenizer *tokenizer, MergeRoom *room, size_t n, MergeRule *rule) {
    Heap heap = {.items = room->candidates};
    for (size_t i = 1; i < n; i++)
        consider(tokenizer, &heap, room->pieces, (int32_t)(i - 1), (int32_t)i, rule);
    while (heap.count > 0) {
        Candidate c = heap_pop(&heap);
        if (is_stale(room->pieces, c)) continue;
        Piece left = room->pieces[c.left], right = room->pieces[c.right];
        room->pieces[c.left] =
            (Piece){left.data, left.size + right.size, c.merged, left.before, right.after};
        room->pieces[c.right].size = 0;
        if (right.after >= 0) room->pieces[right.after].before = c.left;
        consider(tokenizer, &heap, room->pieces, c.left, right.after, rule);
        consider(tokenizer, &heap, room->pieces, left.before, c.left, rule);
    }
}
