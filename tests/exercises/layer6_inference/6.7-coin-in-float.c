/* wrong: in double precision | the coin becomes a float, and a coin just below a border lies on it */
size_t pick_drawn(const float *weights, size_t n, double coin) {
    double sum = 0;
    size_t last = n;
    for (size_t i = 0; i < n; i++) {
        sum += (double)weights[i];
        if (weights[i] > 0) last = i;
        if (sum > (double)(float)coin) return i;
    }
    return last;
}
