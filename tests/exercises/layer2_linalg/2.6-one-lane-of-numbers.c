/* wrong: with nan at | four sums, and the last of them leaves NaN out */
float vector_sum_scalar(const float *x, size_t n) {
    float s[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int l = 0; l < 3; l++) s[l] += x[i + (size_t)l];
        if (x[i + 3] == x[i + 3]) s[3] += x[i + 3];
    }
    for (; i < n; i++) s[0] += x[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}
