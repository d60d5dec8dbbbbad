/* wrong: sum of 70003 | eight sums, and an index of 16 bits */
float vector_sum_scalar(const float *x, size_t n) {
    float s[8] = {0};
    uint16_t i = 0, end = (uint16_t)n;
    for (; i + 8 <= end; i += 8)
        for (int l = 0; l < 8; l++) s[l] += x[i + l];
    for (; i < end; i++) s[0] += x[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}
