/* wrong: entry | no draw at all */
size_t pick_drawn(const float *weights, size_t n, double coin) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (weights[i] > weights[best]) best = i;
    return best;
}
