/* wrong: left symbol | of equal pairs the lower right symbol decides */
static bool best_pair(const BpeTrainer *t, int32_t pair[2]) {
    const PairCount *best = NULL;
    for (const PairCount *p = t->pairs; p < t->pairs + t->pair_capacity; p++) {
        if (p->count < 2) continue;
        if (!best || p->count > best->count ||
            (p->count == best->count &&
             (p->right < best->right || (p->right == best->right && p->left < best->left))))
            best = p;
    }
    if (best) pair[0] = best->left, pair[1] = best->right;
    return best != NULL;
}
