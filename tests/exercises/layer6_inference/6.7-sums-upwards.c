/* right: the running sum in double, and the coin stays what it is */
size_t pick_drawn(const float *weights, size_t n, double coin) {
    double sum = 0;
    size_t last = n;
    for (size_t i = 0; i < n; i++) {
        sum += (double)weights[i];
        if (weights[i] > 0) last = i;
        if (sum > coin) return i;
    }
    return last;
}
