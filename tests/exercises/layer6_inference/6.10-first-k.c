/* wrong: best | the first k, in order */
void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys) {
    for (size_t i = 0; i < k; i++) keys[i] = order_key(logits[i], ids ? ids[i] : (int32_t)i);
    order_sort(keys, k);
    for (size_t i = 0; i < k; i++)
        best[i] = order_value(keys[i]), best_ids[i] = order_id(keys[i]);
}
