/* right: k rounds, each for the best that was not taken yet */
void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys) {
    for (size_t i = 0; i < n; i++) keys[i] = 0;
    for (size_t round = 0; round < k; round++) {
        size_t at = n;
        for (size_t i = 0; i < n; i++) {
            if (keys[i]) continue;
            if (at == n || logits[i] > logits[at] ||
                (ids && logits[i] == logits[at] && ids[i] < ids[at]))
                at = i;
        }
        keys[at] = 1;
        best[round] = logits[at], best_ids[round] = ids ? ids[at] : (int32_t)at;
    }
}
