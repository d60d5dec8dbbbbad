/* right: for each score counts how many come before it */
void choose_top(const float *scores, size_t n, size_t top, uint64_t *chosen) {
    for (size_t w = 0; w <= n / 64; w++) chosen[w] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;
        for (size_t j = 0; j < n; j++)
            if (scores[j] > scores[i] || (j < i && scores[j] == scores[i])) before++;
        if (before < top) chosen[i >> 6] |= (uint64_t)1 << (i & 63);
    }
}
