/* right: each candidate is inserted into the list of the best so far */
void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys) {
    size_t have = 0;
    (void)keys;
    for (size_t i = 0; i < n; i++) {
        int32_t id = ids ? ids[i] : (int32_t)i;
        size_t at = have;
        while (at && (logits[i] > best[at - 1] ||
                      (logits[i] == best[at - 1] && id < best_ids[at - 1])))
            at--;
        if (at == k) continue;
        if (have < k) have++;
        for (size_t j = have - 1; j > at; j--)
            best[j] = best[j - 1], best_ids[j] = best_ids[j - 1];
        best[at] = logits[i], best_ids[at] = id;
    }
}
