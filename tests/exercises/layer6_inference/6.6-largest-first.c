/* right: first the largest logit, then the lowest id that has it */
size_t pick_best(const float *logits, const int32_t *ids, size_t n) {
    float high = logits[0];
    for (size_t i = 0; i < n; i++) high = logits[i] > high ? logits[i] : high;
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (logits[i] == high && (best == n || (ids && ids[i] < ids[best]))) best = i;
    return best;
}
