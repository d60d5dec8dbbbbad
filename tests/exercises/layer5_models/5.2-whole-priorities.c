/* wrong: symbol of piece | a walk in each round, and integer priorities */
void merge_pieces(const Tokenizer *tokenizer, Scratch *scratch, size_t n, MergeRule *rule) {
    Piece *p = scratch->pieces;
    for (;;) {
        int32_t best = -1, becomes = 0;
        int lowest = 0;
        for (int32_t i = 0; i >= 0 && i < (int32_t)n; i = p[i].after) {
            double priority;
            int32_t merged;
            if (p[i].after < 0 || !rule(tokenizer, &p[i], &p[p[i].after], &priority, &merged) ||
                (best >= 0 && (int)priority >= lowest))
                continue;
            lowest = (int)priority, best = i, becomes = merged;
        }
        if (best < 0) return;
        Piece *left = &p[best], *right = &p[left->after];
        left->size += right->size, left->symbol = becomes, left->after = right->after;
        right->size = 0;
        if (left->after >= 0) p[left->after].before = best;
    }
}
