/* right: takes the largest that is left, again and again */
void choose_top(const float *scores, size_t n, size_t top, uint64_t *chosen) {
    memset(chosen, 0, (n / 64 + 1) * sizeof *chosen);
    for (size_t taken = 0; taken < top && taken < n; taken++) {
        size_t best = n;
        for (size_t i = 0; i < n; i++)
            if (!(chosen[i / 64] >> i % 64 & 1) && (best == n || scores[i] > scores[best]))
                best = i;
        chosen[best / 64] |= (uint64_t)1 << best % 64;
    }
}
