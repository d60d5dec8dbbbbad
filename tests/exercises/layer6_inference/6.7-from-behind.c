/* right: all sums first, then the last entry whose sum before it is not above the coin */
size_t pick_drawn(const float *weights, size_t n, double coin) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)weights[i];
    for (size_t i = n; i-- > 0;) {
        sum -= (double)weights[i];
        if (weights[i] > 0 && sum <= coin) return i;
    }
    for (size_t i = 0; i < n; i++)
        if (weights[i] > 0) return i;
    return n;
}
