/* wrong: entry | the sum is a float: beside a large weight small ones vanish */
size_t pick_drawn(const float *weights, size_t n, double coin) {
    float sum = 0;
    size_t last = n;
    for (size_t i = 0; i < n; i++) {
        sum += weights[i];
        if (weights[i] > 0) last = i;
        if ((double)sum > coin) return i;
    }
    return last;
}
