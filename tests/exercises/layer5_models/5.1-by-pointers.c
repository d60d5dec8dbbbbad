/* right: pointers instead of indices, the best one remembered as an entry */
static void count_pairs(BpeTrainer *t) {
    for (size_t i = 0; i < t->pair_capacity; i++) t->pairs[i].count = 0;
    for (const WordCount *w = t->words; w < t->words + t->capacity; w++)
        for (size_t k = 1; k < w->n; k++) {
            PairCount *p = pair_at(t, w->symbols[k - 1], w->symbols[k]);
            *p = (PairCount){w->symbols[k - 1], w->symbols[k], p->count + w->count};
        }
}

static int64_t place_of(const PairCount *p) { return ((int64_t)p->left << 32) | p->right; }

static bool best_pair(const BpeTrainer *t, int32_t pair[2]) {
    const PairCount *best = NULL;
    for (const PairCount *p = t->pairs; p < t->pairs + t->pair_capacity; p++)
        if (p->count > 1 && (!best || p->count > best->count ||
                             (p->count == best->count && place_of(p) < place_of(best))))
            best = p;
    if (best) pair[0] = best->left, pair[1] = best->right;
    return best != NULL;
}
