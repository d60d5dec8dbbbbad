/* wrong: expected entry | a coin that no sum is above is brought down, and misses a last entry that weighs little */
size_t pick_drawn(const float *weights, size_t n, double coin) {
    double all = 0, sum = 0;
    for (size_t i = 0; i < n; i++) all += (double)weights[i];
    if (all == 0) return n;
    if (coin >= all) coin = all * 0.9999999;
    size_t i = 0;
    while ((sum += (double)weights[i]) <= coin) i++;
    return i;
}
