/* wrong: as often as its word | each word counts once, however common it is */
static void count_pairs(BpeTrainer *t) {
    for (size_t i = 0; i < t->pair_capacity; i++) t->pairs[i] = (PairCount){0};
    for (const WordCount *w = t->words; w < t->words + t->capacity; w++)
        for (size_t k = 1; k < w->n; k++) {
            PairCount *p = pair_at(t, w->symbols[k - 1], w->symbols[k]);
            *p = (PairCount){w->symbols[k - 1], w->symbols[k], p->count + 1};
        }
}
