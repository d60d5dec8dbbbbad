/* right: from the last to the first, and of equal ones the later lower id wins */
size_t pick_best(const float *logits, const int32_t *ids, size_t n) {
    size_t best = n - 1;
    for (size_t i = n - 1; i-- > 0;) {
        int32_t id = ids ? ids[i] : (int32_t)i, top = ids ? ids[best] : (int32_t)best;
        if (logits[i] > logits[best] || (logits[i] == logits[best] && id < top)) best = i;
    }
    return best;
}
