/* wrong: occurs twice | what was counted as part of one pair is no part of the next */
static void count_pairs(BpeTrainer *t) {
    memset(t->pairs, 0, t->pair_capacity * sizeof *t->pairs);
    for (const WordCount *w = t->words; w < t->words + t->capacity; w++)
        for (size_t k = 1; k < w->n; k++) {
            PairCount *p = pair_at(t, w->symbols[k - 1], w->symbols[k]);
            *p = (PairCount){w->symbols[k - 1], w->symbols[k], p->count + w->count};
            if (k + 1 < w->n && w->symbols[k] == w->symbols[k - 1] &&
                w->symbols[k] == w->symbols[k + 1])
                k++;
        }
}
