/* wrong: q is to be left | what both have is written over q */
void speculate_residual(const float *p, const float *q, size_t n, float *out) {
    float *both = (float *)q;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (both[i] > p[i]) both[i] = p[i];
        sum += (double)p[i] - (double)both[i];
    }
    for (size_t i = 0; i < n; i++)
        out[i] = sum > 0 ? (float)(((double)p[i] - (double)both[i]) / sum) : p[i];
}
